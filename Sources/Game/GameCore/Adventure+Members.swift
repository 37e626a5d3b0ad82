extension Adventure {
    /// The seats whose heroes take part: on a journey those whose players have not left, in a fight all seats.
    ///
    /// A lost connection must not cost a fight one of its few fighters, so a hero whose player leaves continues to
    /// fight by its policy.
    var seatsInPlay: SeatSet {
        var seats = SeatSet(below: heroes.count)
        switch scene {
        case .journey:
            for seat in seats where heroes[seat].hasLeft { seats.remove(seat) }
        case .bossFight:
            break
        }
        return seats
    }

    /// The seats whose heroes take part and are not down.
    var standing: SeatSet {
        var seats = seatsInPlay
        for seat in seats where heroes[seat].isDown { seats.remove(seat) }
        return seats
    }

    /// Returns the seat of a player, who has at most one and keeps it after leaving.
    func seat(of player: PlayerID) -> Seat? {
        heroes.firstIndex { $0.playerID == player }.map(Seat.init(rawValue:))
    }

    /// Adds a player with a hero.
    ///
    /// A player who left and returns takes the same seat again, with the hero unchanged, so leaving heals no hero.
    mutating func join(_ hero: Hero, _ events: inout [AdventureEvent]) throws(AdventureRefusal) {
        if let seat = seat(of: hero.playerID) {
            guard heroes[seat].hasLeft else { throw .alreadyAMember }
            heroes[seat].hasLeft = false
            events.append(.memberJoined(hero: seat))
        } else {
            guard heroes.count < Self.maxHeroes else { throw .partyFull }
            events.append(.memberJoined(hero: Seat(rawValue: heroes.count)))
            let newcomer = HeroInPlay(hero)
            heroes.append(newcomer)
            if case .bossFight(var fight) = scene {
                let addedHealth = fight.boss.scaleUp(for: newcomer, among: heroes, under: rules)
                scene = .bossFight(fight)
                if addedHealth > 0 { events.append(.bossHealed(boss: fight.boss.id, amount: addedHealth)) }
            }
        }
        scaleDanger()
    }

    /// Removes a player.
    ///
    /// The adventure ends when the last player leaves; a journey also ends when all remaining heroes are down.
    mutating func leave(_ player: PlayerID, _ events: inout [AdventureEvent]) throws(AdventureRefusal) {
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

    /// Scales the danger of a journey to the heroes who take part.
    private mutating func scaleDanger() {
        guard case .journey(var journey) = scene else { return }
        let heroesInPlay = seatsInPlay.map { heroes[$0] }
        journey.dangerPercent = Journey.dangerPercent(in: journey.content, of: heroesInPlay)
        scene = .journey(journey)
    }

    /// Ends the adventure if no hero stands.
    mutating func finishIfWiped(_ events: inout [AdventureEvent]) {
        guard standing.isEmpty else { return }
        events.append(.partyWiped)
        finish(.partyWiped, &events)
    }
}
