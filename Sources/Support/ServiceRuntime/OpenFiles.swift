import Glibc

/// The limit of open files of this process, which also limits its connections.
public enum OpenFiles {
    /// Raises the soft limit to a number of files, or to the hard limit if that is lower.
    ///
    /// Many systems have a soft limit of 1,024 for programs that use `select(2)`, which is not used here.
    /// - Parameter count: the required number of open files.
    /// - Returns: the resulting limit, at most `count`; nil if it cannot be read.
    public static func raiseLimit(to count: Int) -> Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        let required = rlim_t(count)
        if limit.rlim_cur < required {
            var raised = limit
            raised.rlim_cur = min(required, limit.rlim_max)
            if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(min(limit.rlim_cur, required))
    }
}
