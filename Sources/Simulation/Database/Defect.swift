/// A fault of the service itself, for tests of the checks: each must be found.
package enum Defect: String, Sendable, CaseIterable {
    /// The checkpoint moves to the log's head before anything was sent.
    case checkpointRunsAhead
    /// A command's answer is not kept, so that it is carried out again when it is sent again.
    case answersForgotten
    /// A batch of ticks is stored without its last event.
    case eventLost
}
