package import Encodings
package import GameCore

/// The complete record of a run: the input of the invariant checks.
///
/// Times are microseconds since the run began.
package struct RunHistory: Sendable {
    /// An entry of a shard's log.
    package struct CommittedEntry: Sendable {
        package let position: Int64
        package let adventureID: AdventureID
        /// The sequence of an event of the game; nil for other entries.
        package let sequence: Int?
        package let committedAt: Int64

        package init(position: Int64, adventureID: AdventureID, sequence: Int?, committedAt: Int64) {
            self.position = position
            self.adventureID = adventureID
            self.sequence = sequence
            self.committedAt = committedAt
        }
    }

    /// The log of a shard.
    package struct ShardLog: Sendable {
        package var head: Int64
        package var entries: [CommittedEntry]
        /// Whether retention removes old entries, which leaves gaps.
        package var isPruned: Bool

        package init(head: Int64, entries: [CommittedEntry], isPruned: Bool = false) {
            self.head = head
            self.entries = entries
            self.isPruned = isPruned
        }
    }

    /// An event with its position in the log.
    package struct LoggedEvent: Sendable {
        package let sequence: Int
        package let position: Int64
        package let committedAt: Int64
        package let event: AdventureEvent

        package init(sequence: Int, position: Int64, committedAt: Int64, event: AdventureEvent) {
            self.sequence = sequence
            self.position = position
            self.committedAt = committedAt
            self.event = event
        }
    }

    /// An adventure from its opening to its newest state.
    package struct AdventureHistory: Sendable {
        package let opening: Adventure
        package var inputs: [(sequence: Int, input: AdventureInput)]
        package var events: [LoggedEvent]
        package var newest: Adventure
        package var turnEnds: Timestamp?
        /// The stored responses to commands, by idempotency key.
        package var storedResponses: [String: String]

        package init(
            opening: Adventure,
            inputs: [(sequence: Int, input: AdventureInput)],
            events: [LoggedEvent],
            newest: Adventure,
            turnEnds: Timestamp? = nil,
            storedResponses: [String: String] = [:]
        ) {
            self.opening = opening
            self.inputs = inputs
            self.events = events
            self.newest = newest
            self.turnEnds = turnEnds
            self.storedResponses = storedResponses
        }
    }

    /// An activity that the service has registered.
    package struct ActivityHistory: Sendable {
        /// The log position of the first registration.
        package var registeredPosition: Int64
        /// The log position of the release.
        package var releasedPosition: Int64?
        /// The activity as the phone shows it.
        package var shown: ShownActivity
        /// The history of the activity's tokens.
        package var record: ActivityRecord
        /// The commit times of all registrations, ascending.
        ///
        /// After each of them, its token counts as valid again.
        package var registrationTimes: [Int64] = []

        package init(
            registeredPosition: Int64,
            releasedPosition: Int64? = nil,
            shown: ShownActivity,
            record: ActivityRecord
        ) {
            self.registeredPosition = registeredPosition
            self.releasedPosition = releasedPosition
            self.shown = shown
            self.record = record
        }
    }

    /// The data that a dispatcher has flushed for an activity.
    package struct Flush: Sendable {
        package let committedAt: Int64
        /// The log position up to which everything is delivered or dropped.
        package let acknowledgedPosition: Int64
        /// The timestamp of the newest push.
        package let lastTimestamp: Int64

        package init(committedAt: Int64, acknowledgedPosition: Int64, lastTimestamp: Int64 = 0) {
            self.committedAt = committedAt
            self.acknowledgedPosition = acknowledgedPosition
            self.lastTimestamp = lastTimestamp
        }
    }

    /// The logs by shard.
    package var logs: [Int16: ShardLog] = [:]
    package var adventures: [AdventureID: AdventureHistory] = [:]
    package var activities: [ActivityReference: ActivityHistory] = [:]
    /// The pushes in the order of writing.
    package var pushes: [PushRecord] = []
    /// The times of faults, ascending.
    package var faultTimes: [Int64] = []
    /// The time spans of faults that last.
    package var faultSpans: [ClosedRange<Int64>] = []
    /// The flushes of each activity, in commit order.
    package var flushes: [ActivityReference: [Flush]] = [:]
    /// The commit times of the flushes that closed tokens, by token in hexadecimal digits; tokens that were
    /// registered again after the flush are excluded.
    package var closedTokens: [String: Int64] = [:]
    package var responses: [ResponseRecord] = []
    /// The number of commands that players outside the party tried.
    package var unauthorizedAttempts = 0
    /// The attempts that succeeded.
    package var unauthorizedSuccesses: [String] = []
    /// The adventures whose events and inputs retention has removed.
    package var prunedAdventures: Set<AdventureID> = []
    /// The adventures whose stored responses have expired.
    package var adventuresWithoutResponses: Set<AdventureID> = []
    /// Data that cannot be read, as sentences.
    package var unreadable: [String] = []
    /// The log entries of events, by sequence.
    var eventEntries: [AdventureID: [Int: CommittedEntry]] = [:]
    var activityEntries: [ActivityReference: ActivityEntries] = [:]
    /// Schema constraints that a commit violated.
    package var constraintViolations: [String] = []

    package init() {}

    /// Returns whether a fault happened within a time span.
    func hasFault(in span: ClosedRange<Int64>) -> Bool {
        faultTimes.contains(where: span.contains) || faultSpans.contains(where: span.overlaps)
    }
}
