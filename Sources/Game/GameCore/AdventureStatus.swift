/// Where an adventure is in its life: ready, then running, then ended.
public enum AdventureStatus: Hashable, Sendable {
    /// Made, and waiting for ``Input/start``.
    case ready
    /// Between its first event and its last.
    case running
    /// Over; nothing changes any more.
    case ended(Outcome)
}
