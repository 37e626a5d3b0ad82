/// A fault of the service itself, for tests of the checks: each must be found.
///
/// The service runs as it is. What is broken is what it counts on: a statement that does not do what its text says, or a
/// sender that does not keep to what it was told.
package enum Defect: String, Sendable, CaseIterable {
    /// Leases are renewed, and checkpoints written, for whoever held the shard once: two nodes send for it.
    case leaseNotFenced
    /// A push is written after the time that its sender's lease lasts for sure.
    case pushesSentLate
    /// The checkpoint moves to the log's head before anything was sent.
    case checkpointRunsAhead
    /// A command's answer is not kept, so that it is carried out again when it is sent again.
    case answersForgotten
    /// What was sent to an activity is not written down: its last timestamp, what is settled, its end.
    case marksForgotten
    /// Of what was sent to an activity its last timestamp is not written down.
    case timestampsForgotten
    /// A batch of ticks is stored without its last event.
    case eventLost
    /// That a token is dead is not written down.
    case deadTokensForgotten
    /// Whoever sends to a dead token hears that it should try again.
    case deadTokensKept

    /// What the checks must find: each of these things, in some run or other.
    ///
    /// Each is known by the invariant (docs/simulation.md) and, where a check finds more than one kind of thing, by some words of
    /// the finding.
    package var breaks: [Sign] {
        switch self {
        // Two that send for a card have timestamps of their own.
        case .leaseNotFenced, .pushesSentLate, .timestampsForgotten: [Sign(5, "got timestamp")]
        // Whoever takes over believes that all was told: states, ends and alerts.
        case .checkpointRunsAhead: [Sign(3), Sign(4, "was not told")]
        case .answersForgotten: [Sign(6)]
        // What was told is told again, with a timestamp that was used.
        case .marksForgotten: [Sign(4, "twice"), Sign(5, "got timestamp")]
        case .eventLost: [Sign(1), Sign(2)]
        case .deadTokensForgotten: [Sign(5, "nothing goes to its token")]
        case .deadTokensKept: [Sign(5, "to a token that was found dead")]
        }
    }

    /// How a breach is known.
    package struct Sign: Hashable, Sendable, CustomStringConvertible {
        let invariant: Int
        let words: String

        init(_ invariant: Int, _ words: String = "") {
            self.invariant = invariant
            self.words = words
        }

        /// Whether a breach is of this kind.
        package func isSeen(in breach: Breach) -> Bool {
            breach.invariant == invariant && (words.isEmpty || breach.finding.contains(words))
        }

        package var description: String { "invariant \(invariant)\(words.isEmpty ? "" : ": \(words)")" }
    }
}
