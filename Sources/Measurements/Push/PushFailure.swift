import RangersCommandLine

/// Why pushes could not be measured.
struct PushFailure: CommandFailure, Hashable {
    let explanation: String
    let exitStatus = ExitStatus.failed

    init(_ explanation: String) {
        self.explanation = explanation
    }
}
