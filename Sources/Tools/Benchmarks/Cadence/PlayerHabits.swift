import GameCore

/// What players do, by chance, as people do: some turns they answer early, others they let pass; some help.
struct PlayerHabits {
    private var draw: Generator

    init(_ draw: Generator) { self.draw = draw }

    /// Until the party sets out for the first time.
    mutating func firstSetOut() -> Duration { draw.duration(from: 0, to: 60 * 60 * 1_000) }

    /// Until the party sets out again; a busy one does so at once.
    mutating func pause(isBusy: Bool) -> Duration {
        isBusy ? .seconds(5) : draw.duration(from: 20 * 60 * 1_000, to: 60 * 60 * 1_000)
    }

    /// What the party sets out for: a journey as often as a fight.
    mutating func adventure(for heroes: [Hero]) -> Adventure {
        let isJourney = draw.number(below: 2) == 0
        let choices = Content.all.filter { content in
            switch content {
            case .boss: !isJourney
            case .region: isJourney
            }
        }
        let seed = UInt64(draw.number(below: .max))
        return choices[draw.number(below: choices.count)].opening(heroes: heroes, seed: seed)
    }

    /// Until the player whose turn it is answers; nil for one who lets it pass, as happens every other time.
    mutating func answer() -> Duration? {
        draw.number(below: 2) == 0 ? draw.duration(from: 1_500, to: 12_000) : nil
    }

    /// Until somebody gives a potion to a hero who is down; nil where nobody does, as happens every other time.
    mutating func help() -> Duration? {
        draw.number(below: 2) == 0 ? draw.duration(from: 4_000, to: 45_000) : nil
    }

    /// What a player does in the hero's turn: every other time helps a companion up, else fights.
    mutating func move(of seat: Seat, in adventure: Adventure) -> Command {
        let hero = adventure.heroes[seat.rawValue]
        if let companion = adventure.heroes.firstIndex(where: \.isDown), draw.number(below: 2) == 0 {
            let target = Seat(rawValue: companion)
            return hero.potions > 0 ? .potion(target: target) : .revive(target: target)
        }
        return hero.cooldown == 0 && draw.number(below: 2) == 0 ? .special : .attack
    }

    /// Who helps: any companion who stands and has a potion.
    mutating func helper(of seat: Seat, in adventure: Adventure) -> PlayerID? {
        let helpers = adventure.heroes.filter { !$0.isDown && $0.potions > 0 }
        return helpers.isEmpty ? nil : helpers[draw.number(below: helpers.count)].playerID
    }
}
