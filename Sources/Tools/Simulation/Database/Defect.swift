/// A defect that a test injects into the service, to prove that the checks find it.
///
/// The service itself runs unchanged. The defect is in one of its dependencies: a statement that deviates from its SQL,
/// or a sender that ignores its instructions.
package enum Defect: String, Sendable, CaseIterable {
    /// A former lease holder can still renew the lease and write checkpoints, so two nodes send for one shard.
    case leaseNotFenced
    /// Pushes are written after the time until which the sender's lease is certain.
    case pushesSentLate
    /// The checkpoint moves to the log's head before anything is sent.
    case checkpointRunsAhead
    /// Idempotency records are not stored, so a command that is sent again is carried out again.
    case idempotencyRecordsLost
    /// Flushes do not update activities: neither timestamp nor acknowledged position nor state.
    case flushesLost
    /// Flushes do not update the last timestamp of activities.
    case timestampsLost
    /// Batches of ticks are stored without their last event.
    case eventLost
    /// Flushes do not mark dead tokens.
    case deadTokensLost
    /// APNs reports a dead token as a transient failure.
    case deadTokensReportedAsTransient

    /// The violations that the checks must find, each in at least one run.
    package var expectedViolations: [ExpectedViolation] {
        switch self {
        // Two senders of one activity draw timestamps independently.
        case .leaseNotFenced, .pushesSentLate, .timestampsLost: [ExpectedViolation(5, "got timestamp")]
        // The next lease holder assumes that all states, ends and alerts were sent.
        case .checkpointRunsAhead: [ExpectedViolation(3), ExpectedViolation(4, "did not get the alert")]
        case .idempotencyRecordsLost: [ExpectedViolation(6)]
        // The next lease holder repeats pushes, with used timestamps.
        case .flushesLost: [ExpectedViolation(4, "twice"), ExpectedViolation(5, "got timestamp")]
        case .eventLost: [ExpectedViolation(1), ExpectedViolation(2)]
        case .deadTokensLost: [ExpectedViolation(5, "after its token was flushed as dead")]
        case .deadTokensReportedAsTransient: [ExpectedViolation(5, "to a token that APNs had reported dead")]
        }
    }

    /// A pattern for violations: the invariant and, where its check finds several kinds, a phrase of the finding.
    package struct ExpectedViolation: Hashable, Sendable, CustomStringConvertible {
        let invariant: Int
        let phrase: String

        init(_ invariant: Int, _ phrase: String = "") {
            self.invariant = invariant
            self.phrase = phrase
        }

        /// Returns whether a violation is of this kind.
        package func matches(_ violation: InvariantViolation) -> Bool {
            violation.invariant == invariant && (phrase.isEmpty || violation.finding.contains(phrase))
        }

        package var description: String { "invariant \(invariant)\(phrase.isEmpty ? "" : ": \(phrase)")" }
    }
}
