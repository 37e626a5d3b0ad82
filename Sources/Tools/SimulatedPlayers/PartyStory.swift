public import Foundation
import GameCore

/// The story that the demo plays: four players, a journey that their leader starts, and a boss fight that an operator
/// starts; told line by line, and checked at its end.
public struct PartyStory: Sendable {
    /// Longer than the longest adventure takes at the server's standard pace: a fight of all its turns, 15 s each.
    private static let longestAdventure = Duration.seconds(20 * Adventure.mostTurns)
    /// How long the phones may take to get their ends.
    private static let longestEnd = Duration.seconds(30)

    private let server: URL
    private let simulator: SimulatorClient
    private let console: OperatorConsole
    private let tell: @Sendable (String) -> Void

    /// - Parameters:
    ///   - server: where rangersd is.
    ///   - simulator: where APNs' simulator and the phones are.
    ///   - console: who starts boss fights.
    ///   - tell: gets each line of the story as it happens.
    public init(
        server: URL,
        simulator: URL,
        console: OperatorConsole,
        tell: @escaping @Sendable (String) -> Void
    ) {
        self.server = server
        self.simulator = SimulatorClient(at: simulator)
        self.console = console
        self.tell = tell
    }

    /// Registers the four players and switches their phones on.
    public func gatherPlayers() async throws -> [SimulatedPlayer] {
        var players: [SimulatedPlayer] = []
        for role in PlayerRole.cast {
            players.append(try await SimulatedPlayer.register(as: role, at: server, with: simulator))
            tell(
                "\(role.hero.avatar) \(role.displayName) plays \(role.hero.name); phone in \(role.locale), "
                    + "frequent pushes \(role.frequentPushesEnabled ? "on" : "off")"
            )
        }
        return players
    }

    /// Plays one party through a journey and a boss fight.
    /// - Parameters:
    ///   - number: 1 and up; decides name, region and boss.
    ///   - players: the members, the leader first.
    /// - Returns: how it went.
    /// - Throws: ``RangersError``, ``StoryError``, ``StoryTimeout``.
    public func play(party number: Int, with players: [SimulatedPlayer]) async throws -> StoryReport {
        let name = number == 1 ? "The Emoji Rangers" : "The Emoji Rangers \(number)"
        let party = try await SimulatedParty.gather(players, named: name)
        tell("")
        tell("\(name) have gathered, invite code \(party.inviteCode)")

        let region = Self.pick(number, of: RegionCatalogue.all)
        tell("")
        tell("\(region.avatar) \(players[0].role.displayName) leads them through \(region.name)")
        let journey = try await finish(try await party.startJourney(in: region.id), of: party)

        let boss = Self.pick(number, of: BossCatalogue.all)
        tell("")
        tell("An operator: rangersctl boss start \(boss.id) --invite-code \(party.inviteCode)")
        let fightID = try await console.startBossFight(against: boss.id, inviteCode: party.inviteCode)
        let bossFight = try await finish(try await party.follow(fightID), of: party)
        return StoryCheck.report(journey: journey, bossFight: bossFight)
    }

    private func finish(_ followed: FollowedAdventure, of party: SimulatedParty) async throws -> AdventureEvidence {
        try await party.play(followed, within: Self.longestAdventure) { event, adventure in
            if let line = StoryTeller(of: adventure).line(for: event.event) { tell(line) }
        }
        return try await .gather(
            of: followed,
            of: party,
            from: simulator,
            waitingFor: Self.longestEnd,
            serverWasKilled: false
        )
    }

    private static func pick<Entry>(_ number: Int, of all: [Entry]) -> Entry {
        all[(number - 1) % all.count]
    }
}
