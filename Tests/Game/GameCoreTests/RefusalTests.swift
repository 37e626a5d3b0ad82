import Testing

@testable import GameCore

/// Every refusal has its reason and leaves the adventure unchanged.
struct RefusalTests {
    private static let inTurn: [Command] = [
        .attack, .guardUp, .special, .flee, .pass, .potion(target: nil), .potion(target: .first),
        .revive(target: .second),
    ]

    private let zippy = GameWorld.player(0)
    private let boulder = GameWorld.player(1)

    private func fight() throws -> Adventure { try GameWorld.fight(GameWorld.heroes("zippy", "boulder")) }

    private func expect(_ refusal: AdventureRefusal, of input: AdventureInput, in adventure: Adventure) {
        var copy = adventure
        var events: [AdventureEvent] = []
        #expect(throws: refusal, "\(input)") { try copy.advance(input, appendingTo: &events) }
        #expect(copy == adventure && events == [])
    }

    @Test(arguments: inTurn) func `not your turn: a companion's and the boss's`(command: Command) throws {
        var fight = try fight()
        fight.heroes[1].health = 5
        expect(.notYourTurn, of: .command(command, by: boulder), in: fight)
        fight.giveTurn(to: nil)
        expect(.notYourTurn, of: .command(command, by: zippy), in: fight)
    }

    @Test(arguments: inTurn) func `hero down: all commands in turn`(command: Command) throws {
        var fight = try fight()
        fight.heroes[1].health = 0
        expect(.heroDown, of: .command(command, by: boulder), in: fight)
    }

    @Test func `no potions left`() throws {
        var fight = try fight()
        fight.heroes[0].potions = 0
        fight.heroes[1].health = 1
        expect(.noPotionsLeft, of: .command(.potion(target: .second), by: zippy), in: fight)
        expect(.noPotionsLeft, of: .command(.potion(target: nil), by: zippy), in: fight)
    }

    @Test func `on cooldown`() throws {
        var fight = try fight()
        fight.heroes[0].cooldown = 1
        expect(.onCooldown, of: .command(.special, by: zippy), in: fight)
        fight.heroes[0].cooldown = 0
        #expect(fight.refusal(of: .command(.special, by: zippy)) == nil)
    }

    @Test(arguments: ["spouty", "glimmer"] as [HeroID])
    func `target unhurt: a signature move that heals, when nobody is hurt`(healer: HeroID) throws {
        var fight = try GameWorld.fight(GameWorld.heroes(healer, "boulder"))
        fight.giveTurn(to: .first)
        let special = AdventureInput.command(.special, by: zippy)
        expect(.targetUnhurt, of: special, in: fight)
        fight.heroes[1].health -= 1
        #expect(fight.refusal(of: special) == nil)
        // Rainbow Mend revives, and Tidal Song does not.
        fight.heroes[1].health = 0
        #expect(fight.refusal(of: special) == (healer == "glimmer" ? nil : .targetUnhurt))
        fight.heroes[0].cooldown = 1
        expect(.onCooldown, of: special, in: fight)
    }

    @Test(arguments: [-1, 2, 7, 8, 64, Int.max, Int.min]) func `unknown target`(seat: Int) throws {
        let fight = try fight()
        expect(.unknownTarget, of: .command(.potion(target: Seat(rawValue: seat)), by: zippy), in: fight)
        expect(.unknownTarget, of: .command(.revive(target: Seat(rawValue: seat)), by: zippy), in: fight)
    }

    @Test func `target not down, and target unhurt`() throws {
        var fight = try fight()
        expect(.targetNotDown, of: .command(.revive(target: .first), by: zippy), in: fight)
        expect(.targetNotDown, of: .command(.revive(target: .second), by: zippy), in: fight)
        expect(.targetUnhurt, of: .command(.potion(target: nil), by: zippy), in: fight)
        expect(.targetUnhurt, of: .command(.potion(target: .second), by: zippy), in: fight)
        fight.heroes[1].health -= 1
        #expect(fight.refusal(of: .command(.potion(target: .second), by: zippy)) == nil)
        expect(.targetNotDown, of: .command(.revive(target: .second), by: zippy), in: fight)
    }

    @Test(arguments: AdventureKind.allCases) func `adventure over: all inputs`(kind: AdventureKind) throws {
        var adventure = GameWorld.opening(kind, heroes: 2, seed: 4)
        _ = try adventure.advance(.start)
        _ = try adventure.advance(.end)
        let inputs: [AdventureInput] = [.start, .tick, .end, .leave(zippy), .join(GameWorld.hero(5))]
        for input in inputs + Self.inTurn.map({ .command($0, by: zippy) }) {
            expect(.adventureOver, of: input, in: adventure)
        }
    }

    @Test(arguments: [
        Command.attack, .guardUp, .special, .revive(target: .first), .flee, .pass, .policy(.skip),
    ])
    func `no boss: fight commands on a journey`(command: Command) throws {
        expect(.noBoss, of: .command(command, by: zippy), in: try GameWorld.journey(GameWorld.party(of: 1)))
    }

    @Test func `refused potions on a journey`() throws {
        var journey = try GameWorld.journey(GameWorld.heroes("spouty", "bamboo"))
        journey.heroes[0].health = 50
        expect(.targetUnhurt, of: .command(.potion(target: .second), by: zippy), in: journey)
        expect(.unknownTarget, of: .command(.potion(target: .third), by: zippy), in: journey)
        expect(.unknownTarget, of: .command(.potion(target: Seat(rawValue: -1)), by: zippy), in: journey)
        expect(.notAMember, of: .command(.potion(target: nil), by: GameWorld.player(2)), in: journey)
        journey.heroes[0].potions = 0
        expect(.noPotionsLeft, of: .command(.potion(target: nil), by: zippy), in: journey)
        journey.heroes[0].health = 0
        expect(.heroDown, of: .command(.potion(target: nil), by: zippy), in: journey)
        #expect(journey.refusal(of: .command(.potion(target: .first), by: boulder)) == nil)
    }

    @Test(arguments: AdventureKind.allCases) func `not a member: players without a hero and players who have left`(
        kind: AdventureKind
    ) throws {
        var adventure = GameWorld.opening(kind, heroes: 2, seed: 4)
        _ = try adventure.advance(.start)
        for command in Self.inTurn + [.policy(.skip)] {
            expect(.notAMember, of: .command(command, by: GameWorld.player(9)), in: adventure)
        }
        expect(.notAMember, of: .leave(GameWorld.player(9)), in: adventure)
        _ = try adventure.advance(.leave(zippy))
        for command in Self.inTurn + [.policy(.skip)] {
            expect(.notAMember, of: .command(command, by: zippy), in: adventure)
        }
        expect(.notAMember, of: .leave(zippy), in: adventure)
    }

    @Test(arguments: AdventureKind.allCases) func `not started, or started already`(kind: AdventureKind) throws {
        var adventure = GameWorld.opening(kind, heroes: 2, seed: 4)
        let others: [AdventureInput] = [
            .tick, .end, .leave(zippy), .join(GameWorld.hero(5)), .command(.pass, by: zippy),
        ]
        for input in others { expect(.notStarted, of: input, in: adventure) }
        _ = try adventure.advance(.start)
        expect(.notStarted, of: .start, in: adventure)
    }

    @Test(arguments: AdventureKind.allCases) func `already a member, and party full`(kind: AdventureKind) throws {
        var adventure = GameWorld.opening(kind, heroes: 7, seed: 4)
        _ = try adventure.advance(.start)
        expect(.alreadyAMember, of: .join(GameWorld.hero(6)), in: adventure)
        _ = try adventure.advance(.join(GameWorld.hero(7)))
        expect(.partyFull, of: .join(GameWorld.hero(8)), in: adventure)
        // A seat is never reassigned.
        _ = try adventure.advance(.leave(GameWorld.player(3)))
        expect(.partyFull, of: .join(GameWorld.hero(8)), in: adventure)
    }
}
