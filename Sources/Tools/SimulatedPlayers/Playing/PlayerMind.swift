import GameCore
import LiveActivityContent
import RangersClient

/// What a simulated player decides, as a function of what the player sees.
enum PlayerMind {
    /// Below this share of its health a hero is thought to need a potion; the same that heroes left alone go by.
    private static let lowHealthPercent = 30
    /// Below this share of its health a hero is thought to be worth a healer's signature move.
    private static let hurtPercent = 60

    /// Whether there is anything on a journey that a player would do something about.
    static func seesNeed(in adventure: AdventureResponse) -> Bool {
        adventure.heroes.contains { $0.isDown || isLow($0) }
    }

    /// What to do about the hurt on a journey.
    ///
    /// A player acts on what the phone shows: who has not been told that a companion is down does not know. What the
    /// server says in addition only keeps two players from giving a potion to the same hero.
    /// - Parameters:
    ///   - mine: the player's own hero.
    ///   - adventure: as the app gets it from the server once it is opened.
    ///   - shown: what the player's phone shows.
    /// - Returns: a potion for somebody; nil when nothing has to be done, or someone else does it.
    static func aid(
        from mine: AdventureResponse.Hero,
        in adventure: AdventureResponse,
        seeing shown: AdventureAttributes.ContentState
    ) -> Command? {
        guard canGive(mine), shown.heroes.count == adventure.heroes.count else { return nil }
        if isLow(mine), shown.currentHealthLevel * 100 < Double(lowHealthPercent) {
            return .potion(target: nil)
        }
        let fallen = adventure.heroes.first { $0.isDown && shown.heroes[$0.seat.rawValue].isDown }
        guard let fallen, giver(in: adventure)?.seat == mine.seat else { return nil }
        return .potion(target: fallen.seat)
    }

    /// Whether the phone tells its owner that the open turn of a boss fight is the owner's.
    static func isOwnTurn(
        of mine: AdventureResponse.Hero,
        in adventure: AdventureResponse,
        seeing shown: AdventureAttributes.ContentState
    ) -> Bool {
        guard let turn = adventure.turn, turn.seat == mine.seat else { return false }
        return shown.turn?.number == turn.number && shown.turn?.heroIndex == mine.seat.rawValue
    }

    /// What to do with the player's own turn of a boss fight: the first of these that applies.
    ///
    /// - a potion for whoever is down or low, the most hurt first; a hand for who is down when there is none,
    /// - the guard against a blow that is announced at the player's own hero,
    /// - the signature move when it is ready; a healer keeps it until somebody is hurt,
    /// - a strike.
    static func turn(of mine: AdventureResponse.Hero, in adventure: AdventureResponse) -> Command {
        let mostHurt = adventure.heroes.min { $0.health * $1.maximumHealth < $1.health * $0.maximumHealth }
        if let mostHurt, isLow(mostHurt) {
            if canGive(mine) { return .potion(target: mostHurt.seat) }
            if mostHurt.isDown { return .revive(target: mostHurt.seat) }
        }
        if let announced = adventure.boss?.announced, (announced.seat ?? mine.seat) == mine.seat { return .guardUp }
        let somebodyIsHurt = mostHurt.map { isBelow(hurtPercent, $0) } ?? false
        if mine.signatureMove?.readyIn == 0, mine.heroClass?.value != .healer || somebodyIsHurt { return .special }
        return .attack
    }

    private static func canGive(_ hero: AdventureResponse.Hero) -> Bool { !hero.isDown && hero.potions > 0 }

    private static func isLow(_ hero: AdventureResponse.Hero) -> Bool { isBelow(lowHealthPercent, hero) }

    private static func isBelow(_ percent: Int, _ hero: AdventureResponse.Hero) -> Bool {
        hero.health * 100 < hero.maximumHealth * percent
    }

    /// Who has the most potions left, of several the first.
    private static func giver(in adventure: AdventureResponse) -> AdventureResponse.Hero? {
        adventure.heroes.filter(canGive).max { ($0.potions, $1.seat) < ($1.potions, $0.seat) }
    }
}
