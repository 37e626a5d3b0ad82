/// The result of checking one invariant.
package struct InvariantCheck: Sendable {
    /// The number of the invariant in docs/simulation.md, 1 to 10.
    package let invariant: Int
    /// The number of items that were checked.
    package var checkedCount = 0
    /// The violations, each with the identifiers that locate it in the trace.
    package var findings: [String] = []
    /// How often a fault excused what would be a violation without it, by kind.
    package private(set) var excused: [Excuse: Int] = [:]

    package init(of invariant: Int) { self.invariant = invariant }

    package var violations: [InvariantViolation] {
        findings.map { InvariantViolation(invariant: invariant, finding: $0) }
    }

    /// Counts something that a fault excuses.
    mutating func excuse(_ kind: Excuse) { excused[kind, default: 0] += 1 }
}

/// A kind of what would be a violation, and is excused by a fault.
package enum Excuse: String, Hashable, Sendable, CaseIterable {
    /// An activity whose `end` the database has lost: its adventure goes on, and its phone never shows it again.
    case lostEnd
    /// An alert again, with its `apns-id`: its acceptance was not flushed.
    case repeatedAlert
    /// `end` again, with its `apns-id`: its acceptance was not flushed.
    case repeatedEnd
    /// An update after an `end` whose acceptance was not flushed.
    case updateAfterEnd
    /// A timestamp that does not grow: that of the push before was not flushed.
    case repeatedTimestamp
    /// A push beyond the budget of its phone: the database has lost how much was spent.
    case spentBudget
    /// A push to a dead token: the rejection was not flushed.
    case deadToken
    /// An ordinary alert that is repeated, or whose event never happened: the database has lost its claim.
    case lostClaim
    /// An ordinary alert that an activity had shown, which was dismissed, or whose token died, before a takeover.
    case shownAlert
    /// An ordinary alert that was not sent.
    case lostAlert
    /// A push to widgets that was not sent after its claim.
    case lostReload
}

/// An invariant that did not hold.
package struct InvariantViolation: Hashable, Sendable, CustomStringConvertible {
    /// The number of the invariant in docs/simulation.md, 1 to 10.
    package let invariant: Int
    /// The finding, with the identifiers that locate it in the trace.
    package let finding: String

    package var description: String { "invariant \(invariant): \(finding)" }
}
