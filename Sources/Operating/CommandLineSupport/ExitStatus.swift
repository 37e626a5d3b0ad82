/// How an executable of ours ends: a promise to scripts.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    /// What was asked for has been done.
    case done = 0
    /// It could not be done, or the server refused it; standard error says why.
    case failed = 1
    /// The command line makes no sense.
    case wrongUsage = 2
    /// The server gave no answer; nobody knows whether a change was made.
    case unreachable = 3
    /// The settings are wrong, and nothing but another setting helps: what starts programs again need not try.
    ///
    /// `EX_CONFIG` of sysexits(3), which service managers know.
    case badSettings = 78
}
