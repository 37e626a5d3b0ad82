import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import SimulatedPlayers
import Simulation

/// The check of the invariants after a run of real processes (docs/simulation.md lists them).
struct InvariantResults: Sendable {
    /// The maximum number of reported violations per invariant.
    private static let maxViolations = 20

    /// One check per invariant, in order; that of raids only if there were any.
    let checks: [InvariantCheck]
    /// What became of raids.
    var raidCounts = (raids: 0, defeated: 0, rounds: 0, fights: 0)

    /// Whether all invariants hold; an invariant for which nothing was checked does not hold.
    var holds: Bool { checks.allSatisfy { $0.checkedCount > 0 && $0.findings.isEmpty } }

    /// The first violations of each invariant, as sentences.
    var violations: [String] {
        checks.flatMap { $0.violations.prefix(Self.maxViolations).map(\.description) }
    }

    /// How often faults excused what would be a violation without them, by kind; kinds without any are left out.
    var excused: [String: Int] {
        checks.reduce(into: [:]) { counts, check in
            for (kind, count) in check.excused { counts[kind.rawValue, default: 0] += count }
        }
    }

    /// Adds a table, the violations and the JSON fields `invariants` and `excused` to a report.
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
        report.set("excused", excused)
        let kinds = excused.sorted { $0.key < $1.key }.map { "\($0.value.grouped) × \($0.key)" }
        report.add(["Excused by faults: \(kinds.isEmpty ? "nothing" : kinds.joined(separator: ", "))"])
        report.add(violations)
    }

    /// The invariants, and the kinds of items that are checked.
    private static let descriptions = [
        ("the log has no gaps", "entries"), ("everybody derives the same", "adventures"),
        ("activities show the newest state", "activities"), ("alerts arrive, and once", "alerts"),
        ("timestamps grow; nothing after an end or to a dead token", "pushes"),
        ("acknowledged writes are applied exactly once", "responses"),
        ("capacity, potions and turns hold", "heroes, turns, parties"),
        ("strangers are kept out", "attempts, commands, activities"),
        ("blows of raids count once; one kill, for all", "raids, rounds, fights"),
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
    ///   - responsesKeptSince: the moment since which idempotency records are complete; nil without retention.
    /// - Throws: errors of reading; violations are results.
    init(of store: GameStore, _ recorder: PushRecorder, _ history: ClientHistory, responsesKeptSince: Timestamp? = nil)
        async throws
    {
        try await recorder.poll()
        let pushes = recorder.pushes
        let evidence = try await RunEvidence(of: store, pushes, history, responsesKeptSince: responsesKeptSince)
        try await self.init(of: store, evidence, gaps: pushes.gaps, violations: recorder.violations())
    }

    /// Checks the invariants against the evidence, the gaps in the recording, and the simulator's violations.
    init(of store: GameStore, _ evidence: RunEvidence, gaps: [String], violations: [ViolationResponse]) async throws {
        var checks = evidence.history.checks()
        checks[4].findings += gaps
        checks[4].findings += violations.filter(\.isUnconditional).map {
            "push \($0.apnsID ?? "-"): \($0.kind), \($0.detail)"
        }
        checks[5].checkedCount += evidence.acknowledgements
        checks[5].findings += evidence.losses
        var last: PartyID?
        repeat {
            let page = try await store.parties(after: last, limit: Self.pageSize)
            checks[6].checkedCount += page.parties.count
            checks[6].findings += page.parties.filter { $0.members > $0.capacity }.map {
                "party \($0.id) has \($0.members) members and a capacity of \($0.capacity)"
            }
            last = page.next
        } while last != nil
        self.checks = checks
        raidCounts = evidence.history.raidCounts
    }
}

extension PushRecorder {
    private static let timeout = Duration.seconds(600)
    /// The time without a push after which none is expected.
    private static let lastSilence = Duration.seconds(4)

    /// Waits up to 10 minutes until a game is quiescent: no adventure runs, nothing is pending, and no push arrives.
    /// - Returns: nil when the game is quiescent; otherwise a sentence with the state at the end.
    func waitForQuiescence(of store: GameStore) async -> String? {
        var state = "unknown"
        // Throws only in a cancelled task.
        let isQuiescent = try? await Polling.until(within: Self.timeout, every: .milliseconds(250)) {
            do {
                let backlog = try await store.backlogStatistics()
                let (journeys, fights) = (backlog.journeys, backlog.bossFights)
                state = "\(journeys) journeys, \(fights) fights, \(backlog.liveActivities) live activities"
                guard journeys + fights == 0, backlog.oldestUnsent == nil, silence >= Self.lastSilence else {
                    return false
                }
                let unsettled = try await unsettledRaids(of: store)
                let awards = try await store.pendingAwards(after: nil, limit: 1).count
                state += ", \(unsettled) unsettled raids, awards pending: \(awards > 0)"
                return unsettled == 0 && awards == 0
            } catch {
                state = "\(error)"
                return false
            }
        }
        return isQuiescent == true ? nil : "the game is not quiescent after \(Self.timeout.text): \(state)"
    }

    private func unsettledRaids(of store: GameStore) async throws -> Int {
        var count = 0
        for raid in try await store.raids(includingEnded: true, limit: .max) {
            if try await store.raidRecord(of: raid.id)?.isSettled == false { count += 1 }
        }
        return count
    }
}
