import Foundation
import Logging

/// How many files and connections the process may have open.
enum OpenFiles {
    /// What it needs besides clients' connections: the database, APNs, timers, logs.
    private static let others = 200

    /// Makes room for so many connections, as far as the system lets it.
    ///
    /// The soft limit is 1,024 on many systems, for programs that use `select`; there are none here.
    static func allow(_ connections: Int, logger: Logger) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let wanted = rlim_t(connections + others)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        let isRaised = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        guard !isRaised || limit.rlim_cur < wanted else { return }
        logger.warning(
            "fewer files may be open than RANGERS_HTTP_CONNECTIONS needs",
            metadata: ["limit": "\(limit.rlim_max)", "needed": "\(wanted)"]
        )
    }
}
