extension Adventure {
    /// The seats whose heroes take part: in a journey those whose players are there, in a fight all.
    ///
    /// A fight is too short to lose a fighter by a lost connection, so whoever leaves it fights on by itself.
    var seatsInPlay: [Seat] {
        switch scene {
        case .journey: heroes.indices.filter { !heroes[$0].hasLeft }.map(Seat.init(rawValue:))
        case .bossFight: heroes.indices.map(Seat.init(rawValue:))
        }
    }

    /// The seats whose heroes take part and are not down.
    var standing: [Seat] { seatsInPlay.filter { !heroes[$0].isDown } }

    /// The seat of a player, left or not; a player has one at most.
    func seat(of player: PlayerID) -> Seat? {
        heroes.firstIndex { $0.playerID == player }.map(Seat.init(rawValue:))
    }

    /// Lets a player in.
    ///
    /// One who left and comes back takes the old seat again, with the hero as it was left: leaving heals nobody.
    mutating func letIn(_ hero: Hero, _ events: inout [Event]) throws(Refusal) {
        if let seat = seat(of: hero.playerID) {
            guard heroes[seat].hasLeft else { throw .alreadyAMember }
            heroes[seat].hasLeft = false
            events.append(.memberJoined(hero: seat))
        } else {
            guard heroes.count < Self.mostHeroes else { throw .partyFull }
            events.append(.memberJoined(hero: Seat(rawValue: heroes.count)))
            heroes.append(HeroInPlay(hero))
        }
    }

    /// Lets a player go; with the last player the adventure ends, and a journey ends as well when those who are left
    /// are all down.
    mutating func letGo(_ player: PlayerID, _ events: inout [Event]) throws(Refusal) {
        guard let seat = seat(of: player), !heroes[seat].hasLeft else { throw .notAMember }
        heroes[seat].hasLeft = true
        events.append(.memberLeft(hero: seat))
        if heroes.allSatisfy(\.hasLeft) {
            finish(.abandoned, &events)
        } else {
            finishIfWiped(&events)
        }
    }

    /// Ends the adventure when nobody stands.
    mutating func finishIfWiped(_ events: inout [Event]) {
        guard standing.isEmpty else { return }
        events.append(.partyWiped)
        finish(.partyWiped, &events)
    }
}

extension [HeroInPlay] {
    /// The hero of a seat.
    subscript(seat: Seat) -> HeroInPlay {
        get { self[seat.rawValue] }
        set { self[seat.rawValue] = newValue }
    }
}
