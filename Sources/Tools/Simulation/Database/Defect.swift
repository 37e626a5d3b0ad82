/// A defect that a test injects into the service, to prove that the checks find it.
///
/// The service itself runs unchanged. The defect is in one of its dependencies: a statement that deviates from its SQL,
/// or a sender that ignores its instructions.
package enum Defect: String, Sendable, CaseIterable {
    /// A dispatcher that has expired can still renew its presence and write checkpoints, so two nodes send for one shard.
    case leaseNotFenced
    /// Pushes are written after the time until which the sender's lease is certain.
    case pushesSentLate
    /// Flushes acknowledge everything that is decided, before it is sent.
    case flushesRunAhead
    /// Idempotency records are not stored, so a command that is sent again is carried out again.
    case idempotencyRecordsLost
    /// Flushes do not update activities: neither timestamp nor acknowledged moment nor state. Leases have no first timestamp,
    /// which would hide it.
    case flushesLost
    /// Flushes do not update the last timestamp of activities, and leases have no first one, which would hide it.
    case timestampsLost
    /// Flushes do not store the budgets of devices.
    case budgetsLost
    /// Inputs are not stored in the log.
    case inputsLost
    /// Commands are stamped earlier than the clock of their shard.
    case inputsStampedEarly
    /// The clock of a shard follows the server's clock when that is set back.
    case clocksGoBack
    /// Readers play adventures past the clock of their shard.
    case readersPlayAhead
    /// Nothing notices that the clock of a shard has stood still.
    case outagesUnnoticed
    /// Flushes do not mark dead tokens.
    case deadTokensLost
    /// APNs reports a dead token as a transient failure.
    case deadTokensReportedAsTransient
    /// Awards are given without a look at the history of their players.
    case awardsRepeated
    /// Awards are removed when they are read, before they are given.
    case awardsRemovedEarly
    /// The rows of activities do not store which alerts ring.
    case mutesForgotten
    /// The rows of devices do not store which ordinary alerts were claimed.
    case alertClaimsLost
    /// Nodes add up the rounds of a raid without its lock, so that two count a round twice.
    case raidsNotLocked
    /// One decision about a raid in four is taken without a note, and so once more.
    case raidDeliveriesForgotten
    /// The keepers of channels do not see which creations are under way.
    case channelClaimsOverlooked
    /// APNs does not list the channels whose creation was not answered.
    case channelLeftoversHidden

    /// Whether only a run with a raid has the defect.
    package var isOfRaids: Bool { self == .raidsNotLocked || self == .raidDeliveriesForgotten }

    /// Whether only a ``ChannelRun`` has the defect.
    package var isOfChannels: Bool { self == .channelClaimsOverlooked || self == .channelLeftoversHidden }

    /// The violations that the checks must find, each in at least one run.
    package var expectedViolations: [ExpectedViolation] {
        switch self {
        // Two senders of one activity draw timestamps independently.
        case .leaseNotFenced, .pushesSentLate, .timestampsLost: [ExpectedViolation(5, "got timestamp")]
        // The next lease holder assumes that all states, ends and alerts were sent.
        case .flushesRunAhead: [ExpectedViolation(3), ExpectedViolation(4, "did not get the alert")]
        case .idempotencyRecordsLost: [ExpectedViolation(6)]
        // The next lease holder repeats pushes, with used timestamps.
        case .flushesLost: [ExpectedViolation(4, "twice"), ExpectedViolation(5, "got timestamp")]
        case .budgetsLost: [ExpectedViolation(5, "beyond the budget")]
        case .inputsLost: [ExpectedViolation(1, "has position"), ExpectedViolation(2), ExpectedViolation(6)]
        case .inputsStampedEarly: [ExpectedViolation(1, "not later than the clock"), ExpectedViolation(2, "was shown")]
        case .clocksGoBack: [ExpectedViolation(1, "the clock goes back")]
        case .readersPlayAhead: [ExpectedViolation(2, "was shown")]
        case .outagesUnnoticed: [ExpectedViolation(1, "at once")]
        case .deadTokensLost: [ExpectedViolation(5, "after its token was flushed as dead")]
        case .mutesForgotten: [ExpectedViolation(4, "has muted")]
        case .alertClaimsLost: [ExpectedViolation(4, "more than once"), ExpectedViolation(5, "more ordinary alerts")]
        case .raidsNotLocked: [ExpectedViolation(9)]
        case .raidDeliveriesForgotten: [ExpectedViolation(9, "took the decisions")]
        case .channelClaimsOverlooked: [ExpectedViolation(10, "more than the limit")]
        case .channelLeftoversHidden: [ExpectedViolation(10, "no row")]
        case .awardsRepeated: [ExpectedViolation(6, "experience")]
        case .awardsRemovedEarly: [ExpectedViolation(6, "did not get the award")]
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
