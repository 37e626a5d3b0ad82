import Glibc

/// How many files and connections the process may have open.
enum OpenFiles {
    /// What the simulator needs besides senders' connections: the page's readers, players, logs.
    private static let others = 256
    /// As many as anybody will try; where the system allows more, memory counts.
    private static let mostConnections = 50_000

    /// How many connections one of the two doors may have, after the process has been given all that the system allows.
    ///
    /// The soft limit is 1,024 on many systems, for programs that use `select`; there are none here.
    static func connectionsPerDoor() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return mostConnections }
        let wanted = rlim_t(2 * mostConnections + others)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = min(wanted, limit.rlim_max)
            if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return connectionsPerDoor(of: Int(min(limit.rlim_cur, wanted)))
    }

    /// How many connections one door may have where so many files may be open.
    static func connectionsPerDoor(of files: Int) -> Int {
        max(1, min(mostConnections, (files - others) / 2))
    }
}
