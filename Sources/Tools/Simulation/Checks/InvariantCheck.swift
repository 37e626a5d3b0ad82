/// The result of checking one invariant.
package struct InvariantCheck: Sendable {
    /// The number of the invariant in docs/simulation.md, 1 to 8.
    package let invariant: Int
    /// The number of items that were checked.
    package var checkedCount = 0
    /// The violations, each with the identifiers that locate it in the trace.
    package var findings: [String] = []

    package init(of invariant: Int) { self.invariant = invariant }

    package var violations: [InvariantViolation] {
        findings.map { InvariantViolation(invariant: invariant, finding: $0) }
    }
}

/// An invariant that did not hold.
package struct InvariantViolation: Hashable, Sendable, CustomStringConvertible {
    /// The number of the invariant in docs/simulation.md, 1 to 8.
    package let invariant: Int
    /// The finding, with the identifiers that locate it in the trace.
    package let finding: String

    package var description: String { "invariant \(invariant): \(finding)" }
}
