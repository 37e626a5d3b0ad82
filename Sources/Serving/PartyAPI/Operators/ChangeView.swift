import GameEngine
import GameStore

/// What an operator's wish comes to, or would come to.
struct ChangeView: Encodable {
    /// A change as the audit log has it.
    struct Change: Encodable {
        let action: String
        let target: String
        let before: FactsView?
        let after: FactsView?

        init(_ change: AuditChange) {
            action = change.action.rawValue
            target = change.target
            before = change.before.map(FactsView.init)
            after = change.after.map(FactsView.init)
        }
    }

    /// Whether nothing was done: this is what would be.
    let dryRun: Bool
    let changes: [Change]
    /// What happens in the adventure.
    let events: [EventView]
    /// The adventure afterwards, nil when none is concerned.
    let adventure: AdventureView?
    /// How many Live Activities follow the adventure; in a dry run only.
    let activities: Int?
    /// How many members have a phone on which a card can be started; in a dry run only.
    let startableCards: Int?

    init(_ outcome: OperatorOutcome) {
        self.init(outcome, rehearsal: nil)
    }

    init(_ rehearsal: Rehearsal) {
        self.init(rehearsal.outcome, rehearsal: rehearsal)
    }

    private init(_ outcome: OperatorOutcome, rehearsal: Rehearsal?) {
        dryRun = rehearsal != nil
        changes = outcome.audited.map(Change.init)
        events = outcome.events.map(EventView.init)
        adventure = outcome.adventure.map { AdventureView($0) }
        activities = rehearsal?.activities
        startableCards = rehearsal?.startableCards
    }
}
