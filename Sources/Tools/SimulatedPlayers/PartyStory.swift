public import Foundation
import GameCore

/// The demo's story: four players, a journey that their leader starts, and a boss fight that an operator starts,
/// printed line by line and checked at the end.
public struct PartyStory: Sendable {
    /// The time limit of an adventure: longer than the longest adventure at the server's default pace, a fight with all
    /// its turns of 15 s.
    private static let maxAdventureTime = Duration.seconds(20 * Adventure.maxTurns)
    /// The time within which the phones must receive `end`.
    private static let maxEndDelay = Duration.seconds(30)
    /// The interval in which an app polls its phone.
    private static let pollInterval = Duration.milliseconds(200)

    private let server: URL
    private let simulator: SimulatorClient
    private let console: OperatorConsole
    private let print: @Sendable (String) -> Void

    /// Creates a story.
    /// - Parameters:
    ///   - server: the address of rangersd.
    ///   - simulator: the address of the simulator.
    ///   - console: the operator who starts boss fights.
    ///   - print: prints each line of the story as it happens.
    public init(
        server: URL,
        simulator: URL,
        console: OperatorConsole,
        print: @escaping @Sendable (String) -> Void
    ) {
        self.server = server
        self.simulator = SimulatorClient(at: simulator)
        self.console = console
        self.print = print
    }

    /// Registers the four players and adds their phones.
    /// - Returns: the players, the leader first.
    /// - Throws: ``RangersError``.
    public func registerPlayers() async throws -> [SimulatedPlayer] {
        var players: [SimulatedPlayer] = []
        for role in PlayerRole.cast {
            players.append(try await SimulatedPlayer.register(as: role, at: server, with: simulator))
            print(
                "\(role.hero.avatar) \(role.displayName) plays \(role.hero.name); phone in \(role.locale), "
                    + "frequent pushes \(role.frequentPushesEnabled ? "on" : "off")"
            )
        }
        return players
    }

    /// Adds a tablet on which its player, the last one, has switched Live Activities off: it shows notifications.
    /// - Returns: the player on the tablet.
    /// - Throws: ``RangersError``.
    public func addTablet(to players: [SimulatedPlayer]) async throws -> SimulatedPlayer {
        guard let player = players.last else { preconditionFailure("the story has players") }
        print("📱 \(player.role.displayName) has a tablet, too, with Live Activities off")
        return try await player.addTablet(liveActivitiesEnabled: false)
    }

    /// Runs the players' app on their devices until cancellation: it reports what the devices show, a few times a minute.
    public func runApps(of players: [SimulatedPlayer]) async {
        await withDiscardingTaskGroup { group in
            for player in players {
                let app = PhoneApp(of: player, pollInterval: Self.pollInterval, registersActivities: false)
                group.addTask { await app.run() }
            }
        }
    }

    /// Plays one party through a journey and a boss fight.
    /// - Parameters:
    ///   - number: 1 and up; selects name, region and boss.
    ///   - players: the members, the leader first.
    ///   - budgets: the budgets of the players' phones, which the pushes spend.
    /// - Returns: the report.
    /// - Throws: ``RangersError``, ``StoryError``, ``StoryTimeout``.
    public func play(
        party number: Int,
        with players: [SimulatedPlayer],
        spending budgets: inout PhoneBudgets
    ) async throws -> StoryReport {
        let name = number == 1 ? "The Emoji Rangers" : "The Emoji Rangers \(number)"
        let party = try await StoryParty.gather(players, named: name)
        print("")
        print("\(name) gather, invite code \(party.inviteCode)")

        let region = Self.pick(number, of: RegionCatalogue.all)
        print("")
        print("\(region.avatar) \(players[0].role.displayName) leads them through \(region.name)")
        let journey = try await finish(try await party.startJourney(in: region.id), of: party)

        let boss = Self.pick(number, of: BossCatalogue.all)
        print("")
        print("An operator: rangersctl boss start \(boss.id) --invite-code \(party.inviteCode)")
        let fightID = try await startBossFight(against: boss.id, for: party)
        let bossFight = try await finish(try await party.follow(fightID), of: party)
        // A player can be in 20 parties only.
        try await party.leave()
        return StoryCheck.report(journey: journey, bossFight: bossFight, spending: &budgets)
    }

    /// Starts a boss fight, or returns the fight that a visitor of the page has started before.
    private func startBossFight(against boss: BossID, for party: StoryParty) async throws -> AdventureID {
        do {
            return try await console.startBossFight(against: boss, inviteCode: party.inviteCode)
        } catch let error as StoryError {
            guard let running = try await party.runningAdventure() else { throw error }
            print("Another operator was faster")
            return running
        }
    }

    private func finish(_ adventure: TrackedAdventure, of party: StoryParty) async throws -> AdventureEvidence {
        let maxLag = try await party.play(adventure, within: Self.maxAdventureTime) { event, state in
            if let line = StoryNarrator(of: state).line(for: event.event) { print(line) }
        }
        return try await .gather(
            of: adventure,
            of: party,
            from: simulator,
            waitingFor: Self.maxEndDelay,
            serverWasKilled: false,
            maxLag: maxLag
        )
    }

    private static func pick<Entry>(_ number: Int, of all: [Entry]) -> Entry {
        all[(number - 1) % all.count]
    }
}
