import GameCore
import LiveActivityContent
import RangersClient

/// The decisions of a simulated player, as functions of what the player sees.
enum PlayerStrategy {
    /// The percentage of health below which a hero needs a potion; the same as in the automatic turn policy.
    private static let lowHealthPercent = 30
    /// The percentage of health below which a healer uses the signature move.
    private static let hurtPercent = 60

    /// Whether a hero on a journey needs help.
    static func canHelp(in adventure: AdventureResponse) -> Bool {
        adventure.heroes.contains { $0.isDown || isLow($0) }
    }

    /// Decides how to help hurt heroes on a journey.
    ///
    /// A player acts on the state that the phone shows: without a push about a fallen companion, the player does not
    /// know of the fall. The server's state only prevents two players from giving a potion to the same hero.
    /// - Parameters:
    ///   - hero: the player's own hero.
    ///   - adventure: the server's state.
    ///   - shown: the phone's state.
    /// - Returns: a potion for a hero; nil when no help is needed or another player gives it.
    static func aid(
        from hero: AdventureResponse.Hero,
        in adventure: AdventureResponse,
        seeing shown: AdventureAttributes.ContentState
    ) -> Command? {
        guard canGive(hero), shown.heroes.count == adventure.heroes.count else { return nil }
        if isLow(hero), shown.currentHealthLevel * 100 < Double(lowHealthPercent) {
            return .potion(target: nil)
        }
        let fallen = adventure.heroes.first { $0.isDown && shown.heroes[$0.seat.rawValue].isDown }
        guard let fallen, giver(in: adventure)?.seat == hero.seat else { return nil }
        return .potion(target: fallen.seat)
    }

    /// Whether the phone shows that it is the player's turn in a boss fight.
    static func isOwnTurn(
        of hero: AdventureResponse.Hero,
        in adventure: AdventureResponse,
        seeing shown: AdventureAttributes.ContentState
    ) -> Bool {
        guard let turn = adventure.turn, turn.seat == hero.seat else { return false }
        return shown.turn?.number == turn.number && shown.turn?.heroIndex == hero.seat.rawValue
    }

    /// Decides the player's turn in a boss fight.
    ///
    /// The first rule that applies wins:
    ///
    /// - a potion for the most hurt hero if that hero is down or low; without a potion, a revival if the hero is down,
    /// - a guard against an announced attack that hits the player's own hero,
    /// - the signature move if it is ready; a healer keeps it for hurt heroes,
    /// - an attack.
    static func turn(of hero: AdventureResponse.Hero, in adventure: AdventureResponse) -> Command {
        let mostHurt = adventure.heroes.min { $0.health * $1.maximumHealth < $1.health * $0.maximumHealth }
        if let mostHurt, isLow(mostHurt) {
            if canGive(hero) { return .potion(target: mostHurt.seat) }
            if mostHurt.isDown { return .revive(target: mostHurt.seat) }
        }
        if let announced = adventure.boss?.announced, (announced.seat ?? hero.seat) == hero.seat { return .guardUp }
        let isAnyoneHurt = mostHurt.map { isBelow(hurtPercent, $0) } ?? false
        if hero.signatureMove?.readyIn == 0, hero.heroClass?.value != .healer || isAnyoneHurt { return .special }
        return .attack
    }

    private static func canGive(_ hero: AdventureResponse.Hero) -> Bool { !hero.isDown && hero.potions > 0 }

    private static func isLow(_ hero: AdventureResponse.Hero) -> Bool { isBelow(lowHealthPercent, hero) }

    private static func isBelow(_ percent: Int, _ hero: AdventureResponse.Hero) -> Bool {
        hero.health * 100 < hero.maximumHealth * percent
    }

    /// Returns the first hero with the most potions left.
    private static func giver(in adventure: AdventureResponse) -> AdventureResponse.Hero? {
        adventure.heroes.filter(canGive).max { ($0.potions, $1.seat) < ($1.potions, $0.seat) }
    }
}
