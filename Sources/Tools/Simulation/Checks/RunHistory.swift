package import Encodings
package import GameCore
package import GameStore

/// The complete record of a run: the input of the invariant checks.
///
/// Times are microseconds since the run began.
package struct RunHistory: Sendable {
    /// An entry of a shard's log.
    package struct CommittedEntry: Sendable {
        package let position: Int64
        /// The adventure; nil for an outage.
        package let adventureID: AdventureID?
        /// The moment of the decision.
        package let at: Timestamp
        package let committedAt: Int64

        package init(position: Int64, adventureID: AdventureID?, at: Timestamp, committedAt: Int64) {
            self.position = position
            self.adventureID = adventureID
            self.at = at
            self.committedAt = committedAt
        }
    }

    /// A committed clock of a shard.
    package struct ClockMove: Sendable {
        package let committedAt: Int64
        package let clock: Timestamp
        /// The position of the newest log entry then.
        package let head: Int64

        package init(committedAt: Int64, clock: Timestamp, head: Int64) {
            self.committedAt = committedAt
            self.clock = clock
            self.head = head
        }
    }

    /// The log of a shard.
    package struct ShardLog: Sendable {
        package var head: Int64
        package var entries: [CommittedEntry]
        /// Whether retention removes old entries, which leaves gaps.
        package var isPruned: Bool
        /// The clocks of the shard in commit order; empty if they are not known.
        package var clockMoves: [ClockMove] = []

        package init(head: Int64, entries: [CommittedEntry], isPruned: Bool = false) {
            self.head = head
            self.entries = entries
            self.isPruned = isPruned
        }

        /// Returns when a moment was decided: the commit of the first clock that reached it.
        package func commitTime(of moment: Timestamp) -> Int64? {
            let index = clockMoves.firstIndex(inSortedOrderWhere: { $0.clock >= moment })
            return index < clockMoves.count ? clockMoves[index].committedAt : nil
        }
    }

    /// An event as the service derives it.
    package struct DerivedEvent: Sendable {
        package let stored: StoredEvent
        /// When its moment was decided, so that it could be shown.
        package let committedAt: Int64

        package var sequence: Int { stored.sequence }
        package var at: Timestamp { stored.at }
        package var event: AdventureEvent { stored.event }

        package init(_ stored: StoredEvent, committedAt: Int64) {
            self.stored = stored
            self.committedAt = committedAt
        }
    }

    /// What decides an adventure's course together with its inputs and outages.
    package struct Course: Sendable {
        package let opening: Adventure
        package let startedAt: Timestamp
        package let interval: Duration
        /// The clock of the shard at the end of the run.
        package let clock: Timestamp

        package init(opening: Adventure, startedAt: Timestamp, interval: Duration, clock: Timestamp) {
            self.opening = opening
            self.startedAt = startedAt
            self.interval = interval
            self.clock = clock
        }
    }

    /// An adventure from its opening to its newest state.
    package struct AdventureHistory: Sendable {
        /// Decides the course; nil if the store's own replay is the only check.
        package var course: Course?
        /// The inputs in the log.
        package var inputs: [Input]
        /// The events as the service derives them.
        package var events: [DerivedEvent]
        package var newest: Adventure
        package var turnEnds: Timestamp?
        /// The stored responses to commands, by idempotency key.
        package var storedResponses: [String: String]
        /// What clients were shown.
        package var shown = ShownAdventure()

        package init(
            inputs: [Input],
            events: [DerivedEvent],
            newest: Adventure,
            turnEnds: Timestamp? = nil,
            storedResponses: [String: String] = [:]
        ) {
            self.inputs = inputs
            self.events = events
            self.newest = newest
            self.turnEnds = turnEnds
            self.storedResponses = storedResponses
        }
    }

    /// An input of an adventure.
    package struct Input: Sendable {
        package let position: Int64
        package let at: Timestamp
        package let input: AdventureInput

        package init(position: Int64, at: Timestamp, input: AdventureInput) {
            self.position = position
            self.at = at
            self.input = input
        }
    }

    /// A time during which the games of a shard stood still.
    struct Outage: Sendable {
        let position: Int64
        let at: Timestamp
        let duration: Duration
    }

    /// An activity that the service has registered.
    package struct ActivityHistory: Sendable {
        /// The moment of the first registration.
        package var registeredAt: Timestamp
        /// The moment of the release.
        package var releasedAt: Timestamp?
        /// The activity as the phone shows it.
        package var shown: ShownActivity
        /// The history of the activity's tokens.
        package var record: ActivityRecord
        /// The commit times of all registrations, ascending.
        ///
        /// After each of them, its token counts as valid again.
        package var registrationTimes: [Int64] = []

        package init(
            registeredAt: Timestamp,
            releasedAt: Timestamp? = nil,
            shown: ShownActivity,
            record: ActivityRecord
        ) {
            self.registeredAt = registeredAt
            self.releasedAt = releasedAt
            self.shown = shown
            self.record = record
        }
    }

    /// The data that a dispatcher has flushed for an activity.
    package struct Flush: Sendable {
        package let committedAt: Int64
        /// The moment up to which everything is delivered or dropped.
        package let acknowledgedAt: Timestamp
        /// The timestamp of the newest push.
        package let lastTimestamp: Int64

        package init(committedAt: Int64, acknowledgedAt: Timestamp, lastTimestamp: Int64 = 0) {
            self.committedAt = committedAt
            self.acknowledgedAt = acknowledgedAt
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
    /// The times at which the database lost commits, ascending.
    package var failoverTimes: [Int64] = []
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
    /// Data that is missing or cannot be read, as sentences.
    package var unreadable: [String] = []
    /// Adventures that the store cannot play, or whose replay differs from what it has recorded, as sentences.
    package var unplayable: [String] = []
    /// The inputs in the logs.
    var inputs: [AdventureID: [Input]] = [:]
    /// The outages in the logs, by shard.
    var outages: [Int16: [Outage]] = [:]
    var activityEntries: [ActivityReference: ActivityEntries] = [:]
    /// Schema constraints that a commit violated.
    package var constraintViolations: [String] = []

    package init() {}

    /// Returns whether a fault happened within a time span.
    func hasFault(in span: ClosedRange<Int64>) -> Bool {
        faultTimes.contains(where: span.contains) || faultSpans.contains(where: span.overlaps)
    }
}

extension Array {
    /// Returns the index of the first element that matches, or the end; elements that match follow those that do not.
    func firstIndex(inSortedOrderWhere matches: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if matches(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
