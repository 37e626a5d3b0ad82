/// A fault of the service itself, for tests of the checks: each must be found.
package enum Defect: String, Sendable, CaseIterable {
    /// Who has lost a lease writes its checkpoint all the same, and is not told.
    case leaseNotFenced
    /// The checkpoint moves to the log's head before anything was sent.
    case checkpointRunsAhead
    /// A command's answer is not kept, so that it is carried out again when it is sent again.
    case answersForgotten
    /// What was sent to an activity before is forgotten with its last timestamp and its end.
    case marksForgotten
    /// A batch of ticks is stored without its last event.
    case eventLost
    /// What a dispatcher wrote down as dead is pushed to all the same.
    case deadTokensKept
}
