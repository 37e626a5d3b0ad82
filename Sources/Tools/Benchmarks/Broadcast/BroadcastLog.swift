import Encodings
import Foundation
import SimulatedPlayers

/// What was committed of a raid, and when its channel could be used.
struct RaidCommits: Sendable {
    struct State: Hashable, Sendable {
        /// The version, as a broadcast has it in `sequence`.
        let version: Int
        let at: Timestamp
    }

    /// The states, the oldest first.
    private(set) var states: [State] = []
    /// The times from which on a channel could get a broadcast, the oldest first.
    private(set) var limits: [Timestamp] = []

    /// Notes a state, if it is another one.
    mutating func note(_ state: State) {
        if states.last?.version != state.version { states.append(state) }
    }

    /// Notes the time from which on the channel can get the next broadcast.
    mutating func note(limit: Timestamp) {
        if limits.last != limit { limits.append(limit) }
    }
}

/// When the states of a raid arrived at the simulator, and what is wrong with its broadcasts.
struct BroadcastLog: Sendable {
    /// How long after its replacement a state may arrive: the time between two broadcasts.
    private static let maxAge = Duration.seconds(1)

    private struct Payload: Decodable {
        struct APS: Decodable { let timestamp: Int64 }
        let aps: APS
    }

    /// For each state, the time from its commit until it arrived.
    private(set) var latencies: [Duration] = []
    /// The same from the time at which the channel's limit allowed a broadcast, if that was later.
    private(set) var unheldLatencies: [Duration] = []
    /// The number of broadcasts.
    let broadcasts: Int
    private(set) var failures: [String] = []

    /// Compares broadcasts with what was committed.
    /// - Parameters:
    ///   - pushes: the broadcasts since all subscribers follow the channel, the oldest first.
    ///   - commits: what was committed; the time of the first state is not known exactly.
    ///   - subscribers: the number of subscribers.
    init(_ pushes: [LoggedPush], of commits: RaidCommits, to subscribers: Int) {
        broadcasts = pushes.count
        var newest = (version: Int.min, timestamp: Int64.min)
        for push in pushes {
            let name = "Broadcast \(push.number)"
            guard push.isAccepted, let version = push.sequence, let timestamp = Self.timestamp(of: push) else {
                failures.append("\(name) was rejected, or has no state.")
                continue
            }
            if version < newest.version {
                failures.append("\(name) has version \(version) after version \(newest.version).")
            }
            if timestamp <= newest.timestamp {
                failures.append("\(name) is of the second \(timestamp), as the one before, or older.")
            }
            let next = commits.states.first { $0.version > version }
            if let next, push.time - next.at > Self.maxAge {
                failures.append("\(name) has a state that was replaced \((push.time - next.at).text) before.")
            }
            let shown = push.reactions?["shown"] ?? 0
            if shown != subscribers { failures.append("\(name) was shown to \(shown) of \(subscribers) subscribers.") }
            newest = (max(version, newest.version), max(timestamp, newest.timestamp))
        }
        for state in commits.states.dropFirst() {
            let arrival = pushes.first { $0.isAccepted && $0.sequence.map { $0 >= state.version } ?? false }
            guard let arrival else {
                failures.append("Version \(state.version) did not arrive.")
                continue
            }
            latencies.append(arrival.time - state.at)
            let limit = commits.limits.last { $0 <= arrival.time } ?? state.at
            unheldLatencies.append(arrival.time - max(state.at, limit))
        }
        if latencies.isEmpty { failures.append("The raid committed no state: do its parties fight?") }
    }

    private static func timestamp(of push: LoggedPush) -> Int64? {
        // A push without a readable payload is reported.
        (try? JSONDecoder().decode(Payload.self, from: Data(push.payload.utf8)))?.aps.timestamp
    }
}
