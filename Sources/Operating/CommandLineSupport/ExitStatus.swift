/// The exit statuses of the executables, on which scripts may rely.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    /// The command succeeded.
    case done = 0
    /// The command failed, or the server rejected it; standard error has the explanation.
    case failed = 1
    /// The command line is invalid.
    case wrongUsage = 2
    /// The server did not respond; whether a change was made is unknown.
    case unreachable = 3
    /// The settings are invalid, so that a restart does not help.
    ///
    /// This is `EX_CONFIG` of sysexits(3), which service managers recognize.
    case badSettings = 78
}
