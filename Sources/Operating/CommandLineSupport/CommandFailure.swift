/// An error that ends an executable, with an explanation for people and a status for scripts.
public protocol CommandFailure: Error {
    /// The problem and its remedy, for standard error; without secrets.
    var explanation: String { get }
    /// The exit status of the process.
    var exitStatus: ExitStatus { get }
}
