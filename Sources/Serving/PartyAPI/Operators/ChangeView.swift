import GameEngine
import GameStore
import JSONCoding

/// The effect of an operator's action, or the effect that it would have, for a dry run.
struct ChangeView: JSONWritable {
    /// A change as the audit log records it.
    struct Change: JSONWritable {
        private let change: AuditChange

        init(_ change: AuditChange) { self.change = change }

        func write(to json: inout JSONWriter) {
            json.object { json in
                json.member("action", change.action.rawValue)
                json.member("target", change.target)
                json.member("before", change.before.map(AuditFactsView.init))
                json.member("after", change.after.map(AuditFactsView.init))
            }
        }
    }

    /// Whether the request was a dry run, which changes nothing.
    let dryRun: Bool
    let changes: [Change]
    /// The events of the adventure.
    let events: [EventView]
    /// The adventure after the action; nil if it affects none.
    let adventure: AdventureView?
    /// The number of Live Activities of the adventure that a running node can push to; nil unless it is a dry run.
    let activities: Int?
    /// The number of members with a device on which a running node can start an activity; nil unless it is a dry run.
    let startableActivities: Int?

    init(_ outcome: OperatorOutcome) {
        self.init(outcome, dryRun: nil)
    }

    init(_ dryRun: DryRun) {
        self.init(dryRun.outcome, dryRun: dryRun)
    }

    private init(_ outcome: OperatorOutcome, dryRun: DryRun?) {
        self.dryRun = dryRun != nil
        changes = outcome.auditChanges.map(Change.init)
        events = outcome.events.map(EventView.init)
        adventure = outcome.adventure.map { AdventureView($0) }
        activities = dryRun?.activities
        startableActivities = dryRun?.startableActivities
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("dryRun", dryRun)
            json.member("changes", changes)
            json.member("events", events)
            json.member("adventure", adventure)
            if let activities { json.member("activities", activities) }
            if let startableActivities { json.member("startableActivities", startableActivities) }
        }
    }
}
