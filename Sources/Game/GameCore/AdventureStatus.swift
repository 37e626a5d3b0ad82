/// The stage of an adventure: ready, then running, then ended.
public enum AdventureStatus: Hashable, Sendable {
    /// Created, but not started by ``AdventureInput/start``.
    case ready
    /// Between its first and its last event.
    case running
    /// Over; every further input is refused.
    case ended(AdventureOutcome)
}
