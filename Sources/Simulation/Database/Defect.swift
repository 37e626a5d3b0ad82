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
}
