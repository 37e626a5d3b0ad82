extension Adventure {
    /// The seats whose heroes take part: in a journey those whose players are there, in a fight all.
    ///
    /// A fight is too short to lose a fighter by a lost connection, so whoever leaves it fights on by its policy.
    var seatsInPlay: Seats {
        var seats = Seats(below: heroes.count)
        switch scene {
        case .journey:
            for seat in seats where heroes[seat].hasLeft { seats.remove(seat) }
        case .bossFight:
            break
        }
        return seats
    }

    /// The seats whose heroes take part and are not down.
    var standing: Seats {
        var seats = seatsInPlay
        for seat in seats where heroes[seat].isDown { seats.remove(seat) }
        return seats
    }

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
            let newcomer = HeroInPlay(hero)
            heroes.append(newcomer)
            if case .bossFight(var fight) = scene {
                let share = fight.boss.face(newcomer, among: heroes)
                scene = .bossFight(fight)
                events.append(.bossHealed(boss: fight.boss.id, amount: share))
            }
        }
        scaleDanger()
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
            scaleDanger()
            finishIfWiped(&events)
        }
    }

    /// A journey is as dangerous as those can stand who take part in it; a fight goes on with whoever it began with.
    private mutating func scaleDanger() {
        guard case .journey(var journey) = scene else { return }
        let present = seatsInPlay.map { heroes[$0] }
        journey.dangerPercent = Journey.dangerPercent(in: journey.content, of: present)
        scene = .journey(journey)
    }

    /// Ends the adventure when nobody stands.
    mutating func finishIfWiped(_ events: inout [Event]) {
        guard standing.isEmpty else { return }
        events.append(.partyWiped)
        finish(.partyWiped, &events)
    }
}
