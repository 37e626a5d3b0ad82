public import Encodings
public import GameCore

/// An entry of a shard's log: something that was decided.
public struct LogEntry: Sendable {
    /// The content of a log entry.
    public enum Content: Sendable {
        /// An adventure started.
        case started
        /// A player or an operator gave an adventure an input.
        case input(AdventureInput)
        /// An adventure ended, and its end was recorded.
        case ended
        /// An app registered an activity or a new token for it.
        case activityRegistered(ActivityID)
        /// An app released an activity.
        case activityReleased(ActivityID)
        /// An operator requested a push to an activity.
        case activityPushRequested(ActivityID, RequestedPush.Event)
        /// All games of the shard stood still from the moment of the entry on, for the given time.
        case outage(Duration)
        /// The home of a raid decided something, an input to all fights of the shard in that raid.
        case raid(RaidID, RaidDecision)
        /// An entry that this version cannot decode, with the reason.
        case unreadable(StoreError)
    }

    /// The position in the shard's log: 1 and up, without gaps.
    public let position: Int64
    /// The adventure of the entry; nil for an outage and for a decision about a raid.
    public let adventureID: AdventureID?
    /// The moment of the decision.
    public let at: Timestamp
    /// The content of the entry.
    public let content: Content
    /// Whether this version knows the kind of the entry; nothing may be shown past an entry of another kind.
    public let isKnown: Bool
    /// The digest of the adventure's events up to and including the entry; nil for entries without one.
    package let eventDigest: UInt64?
    /// The digest of the log up to and including the entry, given the digest before the first entry of the page.
    public let digest: LogDigest
    /// The trace of the request that caused the entry; nil without a tracer.
    public let trace: TraceCarrier?

    /// Creates an entry, as it was read.
    package init(
        position: Int64,
        adventureID: AdventureID?,
        at: Timestamp,
        content: Content,
        isKnown: Bool = true,
        eventDigest: UInt64?,
        digest: LogDigest,
        trace: TraceCarrier? = nil
    ) {
        self.position = position
        self.adventureID = adventureID
        self.at = at
        self.content = content
        self.isKnown = isKnown
        self.eventDigest = eventDigest
        self.digest = digest
        self.trace = trace
    }
}

/// A row of the log.
package struct LogRow {
    package let position: Int64
    package let at: Timestamp
    package let kind: String
    package let adventureID: AdventureID?
    package let body: String
    package let digest: Int64?

    /// Creates a row.
    package init(position: Int64, at: Timestamp, kind: String, adventureID: AdventureID?, body: String, digest: Int64?)
    {
        self.position = position
        self.at = at
        self.kind = kind
        self.adventureID = adventureID
        self.body = body
        self.digest = digest
    }
}
