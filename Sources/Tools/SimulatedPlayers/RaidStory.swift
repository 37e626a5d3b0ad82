public import Foundation
import GameCore
import RangersClient

/// The demo's raid: thirty parties of one player against one boss, printed as it happens and checked at the end.
public struct RaidStory: Sendable {
    /// The number of parties.
    public static let partyCount = 30
    /// The boss's health: what the parties deal in about a minute at the demo's pace.
    private static let health = 20_000
    /// The duration, within which the parties can defeat the boss on any machine.
    private static let duration = "15m"
    private static let timeLimit = Duration.seconds(16 * 60)
    /// The interval in which a party reads its fight, and the narrator the raid.
    private static let pollInterval = Duration.seconds(1)
    /// The time within which the phones must receive `end`, and the ranking be complete.
    private static let maxEndDelay = Duration.seconds(90)
    /// The narrator tells of each loss of this part of the boss's health.
    private static let steps = 10

    private static let names = """
        Ada Ben Cleo Dina Emil Fay Gus Hana Ivo Jana Kim Leo Mara Nils Olga Paul Quin Rosa Sam Tara Udo Vera Will Xena \
        Yuri Zoe Arne Bea Carl Dora
        """.split(separator: " ").map(String.init)

    private let server: URL
    private let simulator: SimulatorClient
    private let console: OperatorConsole
    private let print: @Sendable (String) -> Void

    /// Creates a story.
    /// - Parameters:
    ///   - server: the address of rangersd.
    ///   - simulator: the address of the simulator.
    ///   - console: the operator who starts the raid.
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

    /// Registers the players, adds their phones, and gathers a party for each.
    /// - Returns: the parties, each with its name.
    /// - Throws: ``RangersError``.
    public func gatherParties() async throws -> [RaidParty] {
        let locales = ["en", "ko", "de"]
        var parties: [RaidParty] = []
        for (index, name) in Self.names.prefix(Self.partyCount).enumerated() {
            let role = PlayerRole(
                displayName: name,
                hero: HeroCatalogue.all[index % HeroCatalogue.all.count].id,
                locale: locales[index % locales.count],
                frequentPushesEnabled: index.isMultiple(of: 2),
                takesTurns: false
            )
            let player = try await SimulatedPlayer.register(as: role, at: server, with: simulator)
            let party = try await StoryParty.gather(
                [player],
                named: "\(name)'s Rangers",
                pollInterval: Self.pollInterval
            )
            parties.append(RaidParty(name: name, player: player, party: party))
        }
        print("\(parties.count) parties gather: \(parties.map(\.name).joined(separator: ", "))")
        return parties
    }

    /// Adds a tablet without a player, which follows the raids on their broadcast channels.
    /// - Returns: its identifier.
    /// - Throws: ``RangersError``.
    public func addTablet() async throws -> UUID {
        try await simulator.addPhone(label: "The raid", locale: "en", frequentPushesEnabled: true, isTablet: true)
    }

    /// Plays one raid.
    /// - Parameters:
    ///   - number: 1 and up; selects the boss.
    ///   - parties: the parties.
    ///   - tablet: the tablet that follows the raid.
    /// - Returns: the report.
    /// - Throws: ``RangersError``, ``StoryError``, ``StoryTimeout``.
    public func play(raid number: Int, with parties: [RaidParty], on tablet: UUID) async throws -> RaidReport {
        // The strongest boss first.
        let boss = BossCatalogue.all[BossCatalogue.all.count - 1 - (number - 1) % BossCatalogue.all.count].id
        print("")
        print("An operator: rangersctl raid start \(boss) --health \(Self.health) --for \(Self.duration)")
        let raidID = try await console.startRaid(against: boss, health: Self.health, for: Self.duration)
        let fights = try await withThrowingTaskGroup { group in
            for party in parties {
                group.addTask { try await fight(for: party, in: raidID) }
            }
            async let narration: Void = narrate(raidID, for: parties)
            async let following: Void = follow(raidID, on: tablet, reading: parties[0].player.server)
            let all = try await group.reduce(into: []) { $0 += $1 }
            try await narration
            try await following
            return all
        }
        return try await report(of: raidID, parties, fights, on: tablet)
    }

    /// Lets a party fight until the raid is over; a party that has fallen joins again.
    private func fight(for party: RaidParty, in raidID: RaidID) async throws -> [RaidReport.Fight] {
        var fights: [RaidReport.Fight] = []
        while true {
            let adventure: TrackedAdventure
            do {
                adventure = try await party.party.joinRaid(raidID)
            } catch RangersError.problem(let problem) where problem.type == .raidOver {
                return fights
            }
            if !fights.isEmpty { print("💫 \(party.name)'s Rangers join again") }
            var outcome: AdventureOutcome?
            try await party.party.play(adventure, within: Self.timeLimit) { event, _ in
                if case .adventureEnded(let ended) = event.event { outcome = ended }
            }
            fights.append(RaidReport.Fight(party: party, adventure: adventure))
            guard outcome == .partyWiped else { return fights }
            print("☠️ \(party.name)'s Rangers have fallen")
        }
    }

    /// Starts the tablet's activity on the raid's channel, once APNs has created it.
    private func follow(_ raidID: RaidID, on tablet: UUID, reading server: PlayerClient) async throws {
        let deadline = ContinuousClock.now + Self.timeLimit
        while ContinuousClock.now < deadline {
            let raid = try await server.raid(raidID)
            if let channel = raid.channels?[PushEnvironment.simulator.rawValue] {
                _ = try await simulator.start(
                    ActivityID(activityKitID: UUID().uuidString),
                    of: AdventureID(rawValue: raidID.rawValue),
                    on: tablet,
                    heroName: raid.boss.name,
                    partyName: "All parties",
                    following: channel
                )
                return print("📡 A tablet follows the raid on its channel")
            }
            // Nothing is left to follow.
            if raid.endedAt != nil { return }
            try await Task.sleep(for: Self.pollInterval)
        }
    }

    /// Prints what happens to the boss until the raid is over.
    private func narrate(_ raidID: RaidID, for parties: [RaidParty]) async throws {
        let deadline = ContinuousClock.now + Self.timeLimit
        var last: RaidResponse?
        while true {
            let raid = try await parties[0].player.server.raid(raidID)
            for line in RaidNarrator.lines(from: last, to: raid, steps: Self.steps) { print(line) }
            if raid.endedAt != nil { return }
            guard ContinuousClock.now < deadline else {
                throw StoryTimeout("the raid is not over", after: Self.timeLimit)
            }
            last = raid
            try await Task.sleep(for: Self.pollInterval)
        }
    }

    /// Reads what the server and the phones have, once all of it has arrived.
    private func report(
        of raidID: RaidID,
        _ parties: [RaidParty],
        _ fights: [RaidReport.Fight],
        on tablet: UUID
    ) async throws -> RaidReport {
        let evidence = try await AdventureEvidence.gather(
            of: fights.map { ($0.adventure, $0.party.party, .zero) },
            from: simulator,
            waitingFor: Self.maxEndDelay,
            serverWasKilled: false
        )
        let reader = parties[0].player.server
        let raid = try await reader.raid(raidID)
        var rounds: [RaidRoundsPage.Round] = []
        var page: RaidRoundsPage
        repeat {
            page = try await reader.raidRounds(of: raidID, after: rounds.last?.round, limit: 1_000)
            rounds += page.rounds
        } while page.next != nil
        let deadline = ContinuousClock.now + Self.maxEndDelay
        var ranking = try await reader.raidRanking(of: raidID).parties
        while ranking.reduce(0, { $0 + $1.damage }) != raid.damage, ContinuousClock.now < deadline {
            try await Task.sleep(for: Self.pollInterval)
            ranking = try await reader.raidRanking(of: raidID).parties
        }
        var shown = try await simulator.phone(tablet).activities.last
        while shown?.isEndedByPush != true, ContinuousClock.now < deadline {
            try await Task.sleep(for: Self.pollInterval)
            shown = try await simulator.phone(tablet).activities.last
        }
        return RaidReport(
            raid: raid,
            rounds: rounds,
            ranking: ranking,
            fights: fights,
            evidence: evidence,
            onChannel: shown
        )
    }
}

/// A party of the raid: its only player, and the name.
public struct RaidParty: Sendable {
    /// The player's name.
    public let name: String
    /// The player.
    public let player: SimulatedPlayer
    let party: StoryParty
}

/// Formats the changes of a raid as lines for people.
enum RaidNarrator {
    /// Returns the lines for what has changed.
    /// - Parameters:
    ///   - before: the raid as it was; nil at the first reading.
    ///   - raid: the raid now.
    ///   - steps: the number of parts of the boss's health; a line tells of the loss of each.
    /// - Returns: the lines, in the order in which people would tell them.
    static func lines(from before: RaidResponse?, to raid: RaidResponse, steps: Int) -> [String] {
        let name = "\(raid.boss.avatar) \(raid.boss.name)"
        var lines: [String] = []
        if before == nil { lines.append("\(name) appears, with \(raid.boss.maximumHealth) health") }
        let lastBlow = before?.biggestBlow?.damage ?? 0
        if let blow = raid.biggestBlow, blow.damage > lastBlow {
            lines.append("⚔️ The biggest blow so far: \(blow.damage)")
        }
        func step(_ raid: RaidResponse) -> Int { raid.boss.health * steps / raid.boss.maximumHealth }
        if raid.endedAt == nil, let before, step(raid) < step(before) {
            lines.append(
                "\(name) has \(raid.boss.health) health left, after \(raid.round) rounds against \(raid.parties) parties"
            )
        }
        if raid.endedAt == nil, raid.boss.phase > before?.boss.phase ?? 1 { lines.append("😡 \(name) is enraged!") }
        switch raid.state.value {
        case .defeated: lines.append("🏆 \(name) is defeated in round \(raid.round)!")
        case .escaped: lines.append("💨 \(name) has escaped")
        case .stopped: lines.append("🏁 The game masters have stopped the raid")
        case .scheduled, .running, nil: break
        }
        return lines
    }
}
