import Encodings
import GameCore
import GameLog
import GameStore
import ServiceRuntime
import Synchronization

/// An operator who starts one raid after another with the real `rangersctl`, and stops the last one.
///
/// It also observes for how long the rounds wait.
final class ChaosRaids: Sendable {
    private static let pause = Duration.milliseconds(250)
    /// The time limit for one run of `rangersctl`: a stopped node accepts its connection and does not respond.
    private static let runLimit = Duration.seconds(20)
    /// The health of the first boss, and the least one.
    private static let minHealth = 200
    /// The time limit of a raid, longer than a run.
    private static let limit = "7d"

    private struct State {
        var isOpen = true
        var waits = RaidWaits()
    }

    private let cluster: ChaosCluster
    private let store: GameStore
    private let length: Duration
    private let state = Mutex(State())

    /// Creates an operator.
    /// - Parameters:
    ///   - cluster: the system under test.
    ///   - length: about how long a raid shall last, which decides the health of the next boss.
    init(in cluster: ChaosCluster, lasting length: Duration) {
        self.cluster = cluster
        self.length = length
        store = cluster.database.store()
    }

    /// The longest time from the end of a round until it was added up, as observed four times a second.
    var longestWait: Duration { state.withLock(\.waits.longest) }

    /// Starts no more raids, and stops the running one.
    func close() { state.withLock { $0.isOpen = false } }

    /// Works until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            // Fails while the database is down, and when a node does; the next iteration sees what has become of it.
            try? await look()
            await Polling.pause(Self.pause)
        }
    }

    private func look() async throws {
        let raids = try await store.openRaids()
        let isOpen = state.withLock { state in
            state.waits.note(raids, at: Runtime.system.now())
            return state.isOpen
        }
        let running = raids.filter { $0.endedAt == nil }
        if isOpen, running.isEmpty {
            let last = try await store.raids(includingEnded: true, limit: 1).first
            let boss = BossCatalogue.all[(last?.health ?? 0) % BossCatalogue.all.count].id
            let health = nextHealth(after: last)
            try await run(["raid", "start", boss.rawValue, "--health", "\(health)", "--for", Self.limit, "--json"])
        } else if !isOpen {
            for raid in running { try await run(["raid", "stop", "\(raid.id)", "--yes", "--json"]) }
        }
    }

    /// Returns the health of a boss that lasts about as long as it shall, by the damage of the last raid.
    private func nextHealth(after last: Raid?) -> Int {
        guard let last, let endedAt = last.endedAt, endedAt > last.startsAt else { return Self.minHealth }
        let share = length / max(endedAt - last.startsAt, .seconds(1))
        return max(Self.minHealth, Int(Double(last.dealt) * share))
    }

    private func run(_ arguments: [String]) async throws {
        let port = cluster.addresses.next() ?? 0
        let program = try cluster.launcher.startOperator(arguments, port: port, tokenFile: cluster.tokenFile)
        do { try await program.finish(within: Self.runLimit) } catch {
            program.kill()
            throw error
        }
    }
}

/// How long the rounds of raids wait until they are added up.
struct RaidWaits: Hashable, Sendable {
    /// The rounds that were added up at the last look.
    private var rounds: [RaidID: Int] = [:]
    /// The longest time from the end of a round until a look at which it was added up, or still was not.
    private(set) var longest = Duration.zero

    /// Notes a look at all raids that may go on.
    mutating func note(_ raids: [Raid], at now: Timestamp) {
        for raid in raids where raid.endedAt == nil || rounds[raid.id] != nil {
            // A raid that has lost rounds with the database goes on from its older state.
            let first = min(rounds[raid.id] ?? raid.round, raid.round)
            longest = max(longest, now - raid.schedule.end(ofRound: first))
        }
        rounds = Dictionary(uniqueKeysWithValues: raids.filter { $0.endedAt == nil }.map { ($0.id, $0.round) })
    }
}

/// What became of the raids of a run.
struct ChaosRaidTally: Encodable, Hashable, Sendable, CustomStringConvertible {
    let raids: Int
    let defeated: Int
    /// The rounds that were added up.
    let rounds: Int
    let fights: Int
    /// The longest time from the end of a round until it was added up.
    let longestWaitSeconds: Double

    var description: String {
        "Raids: \(raids), \(defeated) of them defeated, with \(rounds.grouped) rounds and \(fights.grouped) fights; "
            + "a round waited for \(longestWaitSeconds.grouped(digits: 1)) s at most"
    }
}
