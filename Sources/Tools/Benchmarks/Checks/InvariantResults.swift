import Encodings
import Foundation
import GameCore
import GameStore
import SimulatedPlayers
import Simulation

/// The evidence outside the database for the invariant checks.
struct RunEvidence: Sendable {
    let pushes: RecordedPushes
    let history: ClientHistory
    let index: ClientHistory.Index
    /// The moment since which idempotency records are complete; nil without retention.
    ///
    /// The records of older adventures are not checked, and gaps in logs and adventures without details are allowed.
    let responsesKeptSince: Timestamp?

    init(_ pushes: RecordedPushes, _ history: ClientHistory, responsesKeptSince: Timestamp? = nil) {
        self.pushes = pushes
        self.history = history
        index = history.index
        self.responsesKeptSince = responsesKeptSince
    }

    /// The times of the faults, in microseconds since 1970.
    var disturbedSpans: [ClosedRange<Int64>] {
        history.disturbances.map { $0.lowerBound.microseconds...$0.upperBound.microseconds }
    }
}

/// The check of the invariants after a run of real processes (docs/simulation.md lists them).
struct InvariantResults: Sendable {
    /// The maximum number of reported violations per invariant.
    private static let maxViolations = 20

    /// One check per invariant, in order.
    let checks: [InvariantCheck]

    /// Whether all invariants hold; an invariant for which nothing was checked does not hold.
    var holds: Bool { checks.allSatisfy { $0.checkedCount > 0 && $0.findings.isEmpty } }

    /// The first violations of each invariant, as sentences.
    var violations: [String] {
        checks.flatMap { $0.violations.prefix(Self.maxViolations).map(\.description) }
    }

    /// Adds a table, the violations and the JSON field `invariants` to a report.
    func add(to report: inout Report) {
        report.add(
            checks.map { check in
                let (description, items) = Self.descriptions[check.invariant - 1]
                return [
                    .count("invariant", "INVARIANT", check.invariant), .text("description", "DESCRIPTION", description),
                    .count("checked", "CHECKED", check.checkedCount), .text("items", "ITEMS", items),
                    .value("violationCount", check.findings.count),
                    .count(nil, "VIOLATIONS", check.checkedCount == 0 ? nil : check.findings.count),
                    .value("violations", Array(check.findings.prefix(Self.maxViolations))),
                ]
            },
            as: "invariants"
        )
        report.add(violations)
    }

    /// The invariants, and the kinds of items that are checked.
    private static let descriptions = [
        ("every event is in the log once, in order", "entries"), ("a replay gives the same", "adventures"),
        ("activities show the newest state", "activities"), ("alerts arrive, and once", "alerts"),
        ("timestamps grow; nothing after an end or to a dead token", "pushes"),
        ("acknowledged writes are applied exactly once", "responses"),
        ("capacity, potions and turns hold", "heroes, turns, parties"),
        ("strangers are kept out", "attempts, commands, activities"),
    ]
}

extension InvariantResults {
    /// The number of parties per read.
    private static let pageSize = 1_000

    /// Checks the invariants once the game is quiescent.
    /// - Parameters:
    ///   - store: the store of the run's database.
    ///   - recorder: the pushes since the beginning of the run.
    ///   - history: the responses that clients received.
    ///   - responsesKeptSince: see ``RunEvidence/responsesKeptSince``.
    /// - Throws: errors of reading; violations are results.
    init(of store: GameStore, _ recorder: PushRecorder, _ history: ClientHistory, responsesKeptSince: Timestamp? = nil)
        async throws
    {
        try await recorder.poll()
        let run = RunEvidence(recorder.pushes, history, responsesKeptSince: responsesKeptSince)
        try await self.init(of: store, run, violations: recorder.violations())
    }

    /// Checks the invariants against a record of the run.
    init(of store: GameStore, _ run: RunEvidence, violations: [ViolationResponse]) async throws {
        var checks = (1...8).map { InvariantCheck(of: $0) }
        var known: Set<ActivityID> = []
        for (shard, head) in try await store.heads(of: Shard.all) {
            let shard = try await ShardEvidence(shard, head: head, from: store, for: run)
            for (index, check) in shard.history.checks().enumerated() {
                checks[index] += check
            }
            checks[5].checkedCount += shard.acknowledgements
            checks[5].findings += shard.losses
            known.formUnion(shard.history.activities.keys.map(\.activityID))
        }
        checks[4] += Self.checkPushes(of: run, except: known)
        checks[4].findings += violations.filter(\.isUnconditional).map {
            "push \($0.apnsID ?? "-"): \($0.kind), \($0.detail)"
        }
        checks[6] += try await Self.checkParties(in: store)
        checks[7].checkedCount += run.history.intrusionAttempts
        checks[7].findings += run.history.intrusions
        self.checks = checks
    }

    /// Examines the pushes to unknown tokens and to activities that are no longer stored.
    private static func checkPushes(of run: RunEvidence, except known: Set<ActivityID>) -> InvariantCheck {
        var history = RunHistory()
        history.faultSpans = run.disturbedSpans
        history.pushes = run.pushes.strays
        // Only the store knows the adventure; these checks do not depend on it.
        let unknown = AdventureID(rawValue: UUID(bytes: [UInt8](repeating: 0, count: 16)))
        for id in run.pushes.pushes.keys where !known.contains(id) {
            history.pushes += run.pushes.pushes(to: ActivityReference(adventureID: unknown, activityID: id))
        }
        var check = history.checkPushes()
        check.findings += run.pushes.gaps
        return check
    }

    private static func checkParties(in store: GameStore) async throws -> InvariantCheck {
        var check = InvariantCheck(of: 7)
        var last: PartyID?
        repeat {
            let page = try await store.parties(after: last, limit: pageSize)
            check.checkedCount += page.parties.count
            check.findings += page.parties.filter { $0.members > $0.capacity }.map {
                "party \($0.id) has \($0.members) members and a capacity of \($0.capacity)"
            }
            last = page.next
        } while last != nil
        return check
    }
}

/// Waits until a game is quiescent: no adventure runs, nothing is pending, and no push arrives.
struct QuiescenceWait: Sendable {
    private static let timeout = Duration.seconds(600)
    private static let pause = Duration.milliseconds(250)
    /// The time without a push after which none is expected.
    private static let silence = Duration.seconds(4)

    let store: GameStore
    let recorder: PushRecorder

    /// Waits up to 10 minutes.
    /// - Returns: nil when the game is quiescent; otherwise a sentence with the state at the end.
    func wait() async -> String? {
        var state = "unknown"
        // Throws only in a cancelled task.
        let isQuiescent = try? await Polling.until(within: Self.timeout, every: Self.pause) {
            do {
                let backlog = try await store.backlogStatistics()
                state =
                    "\(backlog.journeys) journeys, \(backlog.bossFights) fights, \(backlog.liveActivities) live activities"
                return backlog.journeys == 0 && backlog.bossFights == 0 && backlog.oldestUnsent == nil
                    && recorder.silence >= Self.silence
            } catch {
                state = "\(error)"
                return false
            }
        }
        return isQuiescent == true ? nil : "the game is not quiescent after \(Self.timeout.text): \(state)"
    }
}
