import APNsClient
import Encodings
import Foundation
import GameCore
import GameStore
import PushCadence
import Synchronization

/// One push on its way, with what its answer is to be held against.
struct OutgoingPush: Sendable {
    /// Counts the pushes of this dispatcher: its answer belongs to the activity only while that waits for it.
    let number: Int
    let shard: Shard
    let epoch: Int64
    let key: ActivityKey
    /// The generation of the token that it goes to.
    let generation: Int
    let environment: PushEnvironment
    let planned: PlannedPush
    /// When that happened which the push is for; nil when nothing but time has led to it, or it is long ago.
    let happenedAt: Timestamp?
    /// The position of the log at which an operator asked for it, nil for all that nobody asked for.
    let askedAt: Int64?
    let request: APNsPush

    /// `apns-id`, which follows from the activity and what the push is for: a repeat after a crash is recognisable.
    static func apnsID(of key: ActivityKey, generation: Int, planned: PlannedPush) -> UUID {
        let event =
            switch planned.event {
            case .update: planned.alert == nil ? "update" : "alert"
            case .end: "end"
            }
        let name = "\(key.adventureID)/\(key.activityID)/\(generation)/\(planned.position)/\(event)"
        return UUID(named: name)
    }
}

/// What became of a push.
struct PushAnswer: Sendable {
    let push: OutgoingPush
    let outcome: APNsOutcome
    /// Request and answer for the operator who asked, as JSON; nil where nobody did.
    let report: String?

    init(_ push: OutgoingPush, _ outcome: APNsOutcome, report: String? = nil) {
        self.push = push
        self.outcome = outcome
        self.report = report
    }
}

/// Where answers wait for the loop.
///
/// Bounded by the number of followed activities, since each has one push under way at most.
final class AnswerBox: Sendable {
    private let answers = Mutex<[PushAnswer]>([])

    func put(_ answer: PushAnswer) {
        answers.withLock { $0.append(answer) }
    }

    func takeAll() -> [PushAnswer] {
        answers.withLock { answers in
            defer { answers.removeAll(keepingCapacity: true) }
            return answers
        }
    }
}
