import Encodings
import Foundation
import GameCore
import SimulatedPlayers
import Simulation
import Synchronization

/// Records the pushes that the simulator receives during a run, since the simulator keeps only the newest.
///
/// It keeps some 200 bytes of each push, and the payload that each activity shows.
final class PushRecorder: Sendable {
    /// The poll interval; the simulator keeps 10,000 pushes, more than arrive between two polls.
    private static let pause = Duration.milliseconds(500)

    private let simulator: SimulatorClient
    private let recorded = Mutex(RecordedPushes())

    /// Creates a recorder without pushes.
    init(of simulator: SimulatorClient) { self.simulator = simulator }

    /// Polls until the task is cancelled, also after errors.
    func run() async {
        while !Task.isCancelled {
            // The next poll gets what this one missed; a gap in the numbers shows what was lost.
            try? await poll()
            await Polling.pause(Self.pause)
        }
    }

    /// Records all pushes so far.
    /// - Throws: the error of the request to the simulator.
    func poll() async throws {
        let pushes = try await simulator.pushes(after: recorded.withLock(\.lastNumber))
        recorded.withLock { $0.add(pushes, at: .now) }
    }

    /// Returns the violations that the simulator found.
    /// - Throws: the error of the request to the simulator.
    func violations() async throws -> [ViolationResponse] { try await simulator.violations() }

    /// All recorded pushes.
    var pushes: RecordedPushes { recorded.withLock(\.self) }

    /// The number of accepted pushes.
    var accepted: Int { recorded.withLock(\.accepted) }

    /// The time since the last push.
    var silence: Duration { ContinuousClock.now - recorded.withLock(\.lastArrival) }
}

/// The pushes that a simulator received.
struct RecordedPushes: Sendable {
    /// The pushes to activities, in the order of arrival.
    private(set) var pushes: [ActivityID: [PushRecord]] = [:]
    /// The pushes to unknown tokens, in the order of arrival.
    private(set) var strays: [PushRecord] = []
    /// The state that each activity shows.
    private(set) var shown: [ActivityID: ShownActivity] = [:]
    /// The gaps in the recording, as sentences.
    private(set) var gaps: [String] = []
    /// The number of the newest push.
    private(set) var lastNumber = 0
    /// The number of accepted pushes.
    private(set) var accepted = 0
    private(set) var lastArrival = ContinuousClock.now

    /// Returns the number of accepted pushes in a span of time, except those to some activities.
    func accepted(from start: Timestamp, to end: Timestamp, except activities: Set<ActivityID>) -> Int {
        pushes.filter { !activities.contains($0.key) }.values.joined().count { push in
            push.outcome == .accepted && push.writtenAt >= start.microseconds && push.writtenAt <= end.microseconds
        }
    }

    /// Adds pushes; known ones are skipped.
    mutating func add(_ new: [LoggedPush], at now: ContinuousClock.Instant) {
        for push in new where push.number > lastNumber {
            if push.number > lastNumber + 1 {
                gaps.append("pushes \(lastNumber + 1) to \(push.number - 1) were removed before they were read")
            }
            lastNumber = push.number
            lastArrival = now
            if push.isAccepted { accepted += 1 }
            guard push.concernsActivities else { continue }
            if push.tokenStart == nil {
                gaps.append("push \(push.number) has no token; apns-simulator may be an older version")
            }
            guard var record = push.record else {
                gaps.append("push \(push.number) has a malformed apns-id: '\(push.apnsID)'")
                continue
            }
            if let id = push.activityID, push.isShown { shown[id, default: ShownActivity()].show(record) }
            record.discardState()
            if let id = push.activityID { pushes[id, default: []].append(record) } else { strays.append(record) }
        }
    }
}

extension ViolationResponse {
    /// The kinds that a sender cannot always avoid after a crash or a lost response; the invariant checks find the
    /// avoidable ones.
    private static let conditionalKinds: Set = ["timestampNotGrowing", "pushAfterEnd", "pushToDeadToken"]

    /// Whether it is a violation regardless of earlier faults.
    var isUnconditional: Bool { !Self.conditionalKinds.contains(kind) }
}

extension LoggedPush {
    /// Whether the push is for an activity or an unknown token, and neither a push to start nor a malformed request.
    var concernsActivities: Bool { activityID != nil || (priority != nil && phoneID == nil && tokenStart != nil) }

    /// The push in the form that the checks use; nil without a valid `apns-id`.
    var record: PushRecord? {
        guard let id = UUID(text: apnsID) else { return nil }
        let outcome: PushRecord.Outcome =
            switch status {
            case nil: .inFlight
            case 200?: .accepted
            case 410?: .deadToken
            case _?: .rejected
            }
        var record = PushRecord(
            activity: nil,
            token: tokenStart ?? "",
            node: "",
            id: id,
            payload: Array(payload.utf8),
            // The simulator's time is in whole milliseconds, and the push was committed before it.
            writtenAt: time.microseconds + 999,
            outcome: outcome
        )
        // The sender does not know the result when the response is late or lost.
        if fault != nil { record.responseReceivedAt = nil }
        return record
    }
}
