import CLinuxLoop
import Glibc

/// The copies of a process's memory that the kernel makes when it crashes.
public enum CoreDumps {
    /// Switches them off for this process, whose memory holds keys and tokens.
    ///
    /// The limit of their size is not enough: the kernel ignores it where a program such as systemd-coredump takes the
    /// dumps. Other processes of the same user can then not read the memory either (ptrace(2)).
    public static func disable() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = rangers_prctl_set_dumpable(0)
    }

    /// Whether the kernel makes none of this process.
    public static var areDisabled: Bool {
        var limit = rlimit()
        return unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0
            && limit.rlim_cur == 0 && rangers_prctl_get_dumpable() == 0
    }
}
