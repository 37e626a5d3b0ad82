/// An error that an executable of ours ends with: sentences for people, a status for scripts.
public protocol CommandFailure: Error {
    /// What is wrong and how to mend it, for standard error; without secrets.
    var explanation: String { get }
    /// What the process exits with.
    var exitStatus: ExitStatus { get }
}
