import Encodings
import GameCore
import GameLog
import PushCadence
import PushDispatch
import PushRules

/// What must be true of all pushes to the activities of a shard, whichever node sends them.
package struct PushChecks {
    private struct History {
        var lastTimestamp: Int64 = 0
        /// The index of the push in flight among all pushes.
        var inFlight: Int?
        /// When the newest push was sent.
        var sentAt = Timestamp(epochSeconds: 0)
        /// The newest token that a follower has found dead.
        var deadToken: [UInt8]?
        var hasSentEnd = false
        var hasAcceptedEnd = false
    }

    /// The device of an activity.
    private struct Device: Hashable {
        let playerID: PlayerID
        let deviceID: DeviceID
    }

    /// The pushes that a device got at priority 10, as a token bucket of the largest of its paces.
    private struct Spending {
        var capacity = 0
        var refill = Int64.max
        /// When the pushes were sent, in order, in microseconds.
        var sentAt: [Int64] = []

        /// Whether no push was beyond the budget.
        var isWithinBudget: Bool {
            var fullAt = Int64.min
            return sentAt.allSatisfy { moment in
                fullAt = max(fullAt, moment) + refill
                return fullAt <= moment + Int64(capacity) * refill
            }
        }
    }

    private let policy: CadencePolicy
    private var histories: [ActivityKey: History] = [:]
    private var spendings: [Device: Spending] = [:]
    /// What was not true.
    private(set) var violations: [InvariantViolation] = []
    /// Whether updates may follow an end, since the database has lost what ended an activity, or its row.
    package private(set) var mayHaveLostEnds = false
    /// Whether the follower may go by what the database has lost: until it notices that, or another node takes over.
    private(set) var mayKnowLostHistory = false

    init(_ policy: CadencePolicy) {
        self.policy = policy
    }

    /// Notes a violation of an invariant unless a condition holds.
    mutating func expect(_ holds: Bool, _ invariant: Int, _ finding: @autoclosure () -> String) {
        if !holds {
            violations.append(InvariantViolation(invariant: invariant, finding: "a follower alone: \(finding())"))
        }
    }

    /// Whether APNs has accepted the `end` of an activity.
    func hasEnded(_ key: ActivityKey) -> Bool { histories[key]?.hasAcceptedEnd ?? false }

    /// A push is sent.
    /// - Parameters:
    ///   - order: the push.
    ///   - index: its index among all pushes.
    ///   - row: the row of its activity; nil if the database has lost it.
    ///   - now: the time.
    mutating func sent(_ order: PushOrder, index: Int, of row: Activity?, at now: Timestamp) {
        if case .update = order.planned.event, let startsAt = row?.startsAt {
            expect(startsAt <= now || mayHaveLostEnds, 5, "push #\(index + 1) updates an activity before its start")
        }
        var history = histories[order.key] ?? History()
        let (push, timestamp) = ("push #\(index + 1)", order.planned.timestamp)
        expect(
            timestamp > history.lastTimestamp,
            5,
            "\(push) has timestamp \(timestamp) after \(history.lastTimestamp)"
        )
        expect(history.inFlight == nil, 5, "\(push) is sent while one to the same activity is in flight")
        expect(order.token != history.deadToken, 5, "\(push) uses a dead token")
        if case .end = order.planned.event {
            history.hasSentEnd = true
        } else {
            expect(!history.hasSentEnd || mayHaveLostEnds, 5, "\(push) follows the end")
        }
        expect(order.planned.alert == nil || order.planned.priority == .high, 4, "the alert of \(push) is demoted")
        history.lastTimestamp = order.planned.timestamp
        history.inFlight = index
        history.sentAt = now
        histories[order.key] = history
    }

    /// A push is answered.
    /// - Parameters:
    ///   - order: the push.
    ///   - index: its index among all pushes.
    ///   - isAccepted: whether APNs has accepted it.
    ///   - rows: the rows of all activities.
    mutating func answered(
        _ order: PushOrder,
        index: Int,
        isAccepted: Bool,
        among rows: [ActivityKey: Activity] = [:]
    ) {
        guard histories[order.key]?.inFlight == index else { return }
        histories[order.key]?.inFlight = nil
        if isAccepted, order.planned.priority == .high { spend(order, index: index, among: rows) }
        guard isAccepted, case .end = order.planned.event else { return }
        histories[order.key]?.hasAcceptedEnd = true
    }

    /// Counts a push in the budget of its device.
    ///
    /// A device whose activities differ in frequency has the larger budget here.
    private mutating func spend(_ order: PushOrder, index: Int, among rows: [ActivityKey: Activity]) {
        guard let row = rows[order.key] else { return }
        let device = Device(playerID: row.playerID, deviceID: row.deviceID)
        var spending = spendings[device] ?? Spending()
        for other in rows.values where other.playerID == row.playerID && other.deviceID == row.deviceID {
            let pace = policy.pace(frequentPushesEnabled: other.frequentPushesEnabled)
            spending.capacity = max(spending.capacity, pace.highCapacity)
            spending.refill = min(spending.refill, pace.highRefill.wholeMicroseconds)
        }
        // Answers come in another order.
        let sentAt = histories[order.key]?.sentAt.microseconds ?? .min
        spending.sentAt.insert(sentAt, at: spending.sentAt.firstIndex { $0 > sentAt } ?? spending.sentAt.endIndex)
        spendings[device] = spending
        expect(
            spending.isWithinBudget || mayHaveLostEnds,
            5,
            "push #\(index + 1) is beyond the budget of its device"
        )
    }

    /// A follower has found the token of a push dead.
    mutating func tokenDied(_ order: PushOrder) {
        if !order.token.isEmpty { histories[order.key]?.deadToken = order.token }
        // An end that was sent to it has not reached the phone.
        if !hasEnded(order.key) { histories[order.key]?.hasSentEnd = false }
    }

    /// The database has lost commits, perhaps also that a token is dead, which a node that has read it from there does not
    /// know.
    /// - Parameters:
    ///   - known: the activities that the follower follows, each with its newest token that the follower knows to be dead.
    ///   - rows: the rows as they are now.
    mutating func losesCommits(knowing known: [ActivityKey: [UInt8]?], reading rows: [ActivityKey: Activity]) {
        (mayHaveLostEnds, mayKnowLostHistory) = (true, true)
        for (key, history) in histories where known[key] != history.deadToken && rows[key]?.state != .dead {
            histories[key]?.deadToken = nil
        }
    }

    /// A node takes over: of what was sent it knows what the rows say, and that timestamps follow the clock.
    mutating func tookOver(reading rows: [ActivityKey: Activity]) {
        mayKnowLostHistory = false
        for key in histories.keys { forget(key, except: rows[key]) }
    }

    /// The database has lost commits: what was not acknowledged may never have happened.
    /// - Parameters:
    ///   - known: the activities that the follower follows, each with its newest token that the follower knows to be dead.
    ///   - rows: the rows as they are now.
    mutating func forked(knowing known: [ActivityKey: [UInt8]?], reading rows: [ActivityKey: Activity]) {
        mayKnowLostHistory = false
        for (key, history) in histories {
            if known[key] == nil { forget(key, except: rows[key]) }
            histories[key]?.inFlight = nil
            if !history.hasAcceptedEnd { histories[key]?.hasSentEnd = false }
            // The row may have it again. A node that took over, or followed the activity anew, does not know it.
            if known[key] != history.deadToken { histories[key]?.deadToken = nil }
        }
    }

    private mutating func forget(_ key: ActivityKey, except row: Activity?) {
        guard var history = histories[key] else { return }
        history.inFlight = nil
        history.hasSentEnd = row?.state == .ended
        history.hasAcceptedEnd = row?.state == .ended
        if row?.state != .dead, row?.pushToken == history.deadToken { history.deadToken = nil }
        histories[key] = history
    }
}
