import GameCore
import GameLog

extension DoctorCheck {
    /// The maximum number of running raids that are looked at.
    static let maxRaids = 100
    /// The maximum number of shards in a finding.
    private static let maxNamedShards = 5

    /// Checks that no raid waits for shards.
    static func raids(_ raids: [Raid]) -> Self {
        let name = "raids"
        let running = raids.filter { $0.state == .running }
        let waiting = running.filter { !$0.waitingFor.isEmpty }
        guard let first = waiting.first else {
            return Self(name, .ok, "\(running.count) raids are running, and none waits for a shard.")
        }
        let shards = Set(waiting.flatMap(\.waitingFor)).sorted()
        let more = shards.count > maxNamedShards ? " and others" : ""
        let named = shards.prefix(maxNamedShards).map { "\($0.rawValue)" }.joined(separator: ", ") + more
        return Self(
            name,
            .failed,
            "\(waiting.count) of \(running.count) raids, such as \(first.id), wait for the rounds of shards \(named).",
            remedy: """
                Nothing is lost: the raids go on once engines move the clocks of these shards. See whether an engine runs, whether a \
                session blocks these shards, and whether they need a newer release.
                """
        )
    }
}
