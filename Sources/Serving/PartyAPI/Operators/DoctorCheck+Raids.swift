import Encodings
import GameCore
import GameLog
import GameStore

extension DoctorCheck {
    /// The maximum number of shards in a finding.
    private static let maxNamedShards = 5
    /// How long rounds may be late, and the end of a raid unknown to a shard: after an outage, an engine catches up with ten
    /// minutes in a few seconds.
    private static let toleratedRaidLag = Duration.seconds(10)

    /// Checks that raids go on, and that all shards have taken the ends of those that are over.
    static func raids(of store: GameStore) async throws -> Self {
        let raids = try await store.openRaids()
        var behind: [RaidID: [Shard]] = [:]
        for raid in raids where raid.endedAt != nil { behind[raid.id] = try await store.shardsBehind(in: raid) }
        return .raids(raids, behind: behind, at: try await store.now())
    }

    /// Checks that raids go on, and that all shards have taken the ends of those that are over.
    /// - Parameters:
    ///   - raids: the raids with work left.
    ///   - behind: the shards that have not taken the end of a raid.
    ///   - now: the database's time.
    /// - Returns: the check.
    static func raids(_ raids: [Raid], behind: [RaidID: [Shard]] = [:], at now: Timestamp) -> Self {
        let name = "raids"
        let running = raids.filter { $0.state == .running }
        let waiting = running.filter { !$0.waitingFor.isEmpty }
        if let first = waiting.first {
            let shards = named(Set(waiting.flatMap(\.waitingFor)))
            return Self(
                name,
                .failed,
                "\(waiting.count) of \(running.count) raids, such as \(first.id), wait for the rounds of shards \(shards).",
                remedy: """
                    Nothing is lost: the raids go on once engines move the clocks of these shards. See whether an engine runs, whether \
                    a session blocks these shards, and whether they need a newer release.
                    """
            )
        }
        if let late = running.first(where: { now - $0.schedule.end(ofRound: $0.round) > toleratedRaidLag }) {
            return Self(
                name,
                .failed,
                "Raid \(late.id) does not go on: round \(late.round) is over and is not added up.",
                remedy: """
                    Nothing is lost. See whether a node with an engine runs, and why its log says that the raid could not be advanced.
                    """
            )
        }
        let ended = raids.filter { raid in
            raid.endedAt.map { now - $0 > toleratedRaidLag } ?? false && behind[raid.id]?.isEmpty == false
        }
        if let first = ended.first {
            let shards = named(Set(ended.flatMap { behind[$0.id] ?? [] }))
            return Self(
                name,
                .failed,
                "\(ended.count) raids, such as \(first.id), are over, and go on for the parties of shards \(shards).",
                remedy: """
                    Nothing is lost: the fights end once a node reaches these shards. See whether a session blocks them, and whether \
                    they need a newer release.
                    """
            )
        }
        return Self(name, .ok, "\(running.count) raids are running, and none waits for a shard.")
    }

    private static func named(_ shards: Set<Shard>) -> String {
        let more = shards.count > maxNamedShards ? " and others" : ""
        return shards.sorted().prefix(maxNamedShards).map { "\($0.rawValue)" }.joined(separator: ", ") + more
    }
}
