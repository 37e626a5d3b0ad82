import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPServing
import Hummingbird
import PushDispatch
import ServiceRuntime

/// The operators' routes of one activity: its state, its pushes, and what the device has shown of them.
struct OperatorActivityRoutes: Sendable {
    let store: GameStore
    /// The topic of this node's pushes; nil on a node without a provider key.
    let topic: String?
    let runtime: Runtime

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.get("admin/v1/activities/:activityID", use: authenticator.viewer(show))
        router.get("admin/v1/activities/:activityID/decisions", use: authenticator.viewer(decisions))
        router.get("admin/v1/activities/:activityID/report", use: authenticator.viewer(report))
    }

    private func show(_ request: APIRequest<Operator>) async throws -> Response {
        try Response(json: try await history(of: activity(of: request)).view)
    }

    private func decisions(_ request: APIRequest<Operator>) async throws -> Response {
        let activity = try await activity(of: request)
        // Before the decisions: a dispatcher stores both together, so these include that of the push.
        let requested = try await store.latestRequestedPush(for: activity.id, of: activity.adventureID)
        let history = try await history(of: activity)
        let hasDispatcher = try await store.isLeased(activity.adventureID.shard)
        return try Response(json: DecisionsView(history, requested: requested, hasDispatcher: hasDispatcher))
    }

    /// Returns what Apple asks for in a report about pushes.
    ///
    /// Needs no entry in the audit log: of the token it has what requested pushes show, too.
    private func report(_ request: APIRequest<Operator>) async throws -> Response {
        let activity = try await activity(of: request)
        let history = try await history(of: activity)
        return try Response(
            json: ActivityReportView(
                of: activity,
                on: history.device,
                topic: topic,
                history.records,
                history.judged,
                receipts: history.receipts
            )
        )
    }

    /// Returns the activity in the path.
    ///
    /// If a faulty app has used an identifier twice, the result is the activity that was registered last.
    private func activity(of request: APIRequest<Operator>) async throws -> Activity {
        guard let activity = try await store.activities(named: try request.activityID).first else {
            throw CommandError.unknownActivity
        }
        return activity
    }

    private func history(of activity: Activity) async throws -> ActivityHistory {
        guard let stored = try await store.adventure(activity.adventureID) else { throw CommandError.unknownActivity }
        let party = try await store.party(stored.partyID)
        let device = try await store.device(activity.deviceID, of: activity.playerID)
        let receipts = try await store.receipts(for: activity.id, of: activity.adventureID)
        let entries = try await store.decisions(for: activity.id, of: activity.adventureID)
        let records = entries.map { DecisionLog(encoded: $0).records } ?? []
        let judged = PushVerdict.judge(
            records,
            with: VerdictEvidence(activity, receipts, on: device),
            at: runtime.now()
        )
        var shown = ShownPushes(judged)
        shown.reportedAt = receipts.map { $0.serverTime($0.reportedAt).rfc3339 }
        let view = ActivityDetailView(activity, of: stored, party: party, lastDecision: records.last, shown: shown)
        return ActivityHistory(view: view, device: device, receipts: receipts, records: records, judged: judged)
    }
}

/// An activity with the recorded decisions about it, and what its device has shown.
struct ActivityHistory {
    let view: ActivityDetailView
    let device: Device?
    let receipts: ActivityReceipts?
    let records: [DecisionRecord]
    /// The accepted pushes with their verdicts.
    let judged: [JudgedPush]

    /// The decisions, each push with its verdict.
    var decisions: [DecisionView] {
        records.map { record in DecisionView(record, judged.first { $0.push.record == record }) }
    }
}
