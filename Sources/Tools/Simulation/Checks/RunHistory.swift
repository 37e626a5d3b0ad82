import Encodings
package import GameCore
package import GameLog
import GameStore
import PushCadence

/// The complete record of a run: the input of the invariant checks.
///
/// Times are microseconds since the run began.
package struct RunHistory: Sendable {
    /// The log of a shard.
    package struct ShardLog: Sendable {
        var head: Int64
        package var entries: [LogEntry] = []
        /// Whether retention removes old entries, which leaves gaps.
        var isPruned = false
        /// The clocks of the shard in commit order; empty if they are not known.
        var clockMoves: [MemoryTables.ClockMoveRow] = []

        /// Returns when a moment was decided: the commit of the first clock that reached it, or the moment itself if the
        /// clocks are not known.
        func commitTime(of moment: Timestamp) -> Int64 {
            guard !clockMoves.isEmpty else { return moment.microseconds }
            let index = clockMoves.firstIndex(inSortedOrderWhere: { $0.clock >= moment.microseconds })
            return index < clockMoves.count ? clockMoves[index].committedAt : 0
        }
    }

    /// What decides an adventure's course together with its inputs and outages.
    struct Course: Sendable {
        let opening: Adventure
        let startedAt: Timestamp
        let interval: Duration
        /// The clock of the shard at the end of the run.
        let clock: Timestamp
    }

    /// An adventure from its opening to its newest state.
    package struct AdventureHistory: Sendable {
        /// Decides the course; nil if the store's own replay is the only check.
        var course: Course?
        /// The log entries of its inputs.
        var inputs: [LogEntry] = []
        /// The events as the service derives them.
        package var events: [StoredEvent]
        var newest: Adventure
        /// The names of its players; empty if they are not known.
        var playerNames: [PlayerID: String] = [:]
        var turnEnds: Timestamp?
        /// The stored responses to commands, by idempotency key.
        var storedResponses: [String: String] = [:]
        /// What clients were shown.
        var shown = ShownAdventure()
        /// The end; nil while the adventure goes on.
        var endedAt: Timestamp?
        /// The experience that each hero gained, by seat.
        var gainedExperience: [Int] = []
    }

    /// The entries of one activity in its shard's log.
    struct ActivityEntries: Sendable {
        /// The moment of the first registration.
        var registeredAt: Timestamp
        /// The moment of the release.
        var releasedAt: Timestamp?
        /// The commit times of all registrations, ascending.
        ///
        /// After each of them, its token counts as valid again.
        var registrationTimes: [Int64] = []
    }

    /// An activity that the service has registered.
    package struct ActivityHistory: Sendable {
        var entries: ActivityEntries
        /// The activity as the phone shows it.
        var shown = ShownActivity()
        /// The history of the activity's tokens.
        var record: ActivityRecord
    }

    /// The logs by shard.
    package var logs: [Int16: ShardLog] = [:]
    package var adventures: [AdventureID: AdventureHistory] = [:]
    /// What the players have of their adventures; nil if it is not known.
    var progress: StoredProgress?
    package var activities: [ActivityReference: ActivityHistory] = [:]
    /// The pushes in the order of writing.
    package var pushes: [PushRecord] = []
    /// The devices that the service has registered.
    var devices: [DeviceReference: DeviceHistory] = [:]
    /// The ordinary alerts and the pushes to widgets, in the order of writing.
    var devicePushes: [PushRecord] = []
    /// The starts of activities by push, in the order of writing.
    var starts: [SimulatedAPNs.StartRecord] = []
    /// The times of faults, ascending.
    var faultTimes: [Int64] = []
    /// The time spans of faults that last.
    package var faultSpans: [ClosedRange<Int64>] = []
    /// The time spans in which the lease of a shard was locked.
    var lockSpans: [Int16: [ClosedRange<Int64>]] = [:]
    /// The times at which the database lost commits, ascending.
    package var failoverTimes: [Int64] = []
    /// The time spans in which lost commits were made and nodes had not noticed their loss; empty if they are not known.
    package var lossSpans: [ClosedRange<Int64>] = []
    /// The policy of all nodes; nil if it is not known, so that budgets are not checked.
    var policy: CadencePolicy?
    /// The changes of the clock of the database's server, ascending.
    var serverClockSteps: [ClockStep] = []

    /// A change of the clock of the database's server, which dates pushes and decides when alerts expire.
    struct ClockStep {
        let at: Int64
        let microseconds: Int64
    }

    /// The flushes of each activity, in commit order.
    var flushes: [ActivityReference: [MemoryTables.FlushRow]] = [:]
    /// Which alerts ring, by the row of each activity, from a time on; without any, all of them.
    var alertPreferences: [ActivityReference: [(from: Int64, preferences: AlertPreferences)]] = [:]
    /// The commit times of the flushes that closed tokens, by token in hexadecimal digits; tokens that were
    /// registered again after the flush are excluded.
    var closedTokens: [String: Int64] = [:]
    package var responses: [ResponseRecord] = []
    /// The number of commands that players outside the party tried.
    package var unauthorizedAttempts = 0
    /// The attempts that succeeded.
    package var unauthorizedSuccesses: [String] = []
    /// The adventures whose activities and log entries retention has removed.
    package var prunedAdventures: Set<AdventureID> = []
    /// The adventures whose stored responses have expired.
    package var adventuresWithoutResponses: Set<AdventureID> = []
    /// Data that is missing or cannot be read, as sentences.
    var unreadable: [String] = []
    /// Adventures that the store cannot play, or whose replay differs from what it has recorded, as sentences.
    package var unplayable: [String] = []
    /// The inputs in the logs.
    var inputs: [AdventureID: [LogEntry]] = [:]
    /// The outages in the logs, by shard.
    var outages: [Int16: [LogEntry]] = [:]
    /// The decisions about raids in the logs, by shard.
    var raidEntries: [Int16: [LogEntry]] = [:]
    /// The raids; empty if they are not known.
    var raids: [RaidID: RaidHistory] = [:]
    /// What the players of raids got; empty if it is not known, or known of all players.
    var raidPlayers: [PlayerID: RaidPlayer] = [:]
    var activityEntries: [ActivityReference: ActivityEntries] = [:]
    /// Schema constraints that a commit violated.
    var constraintViolations: [String] = []

    package init() {}

    /// Returns whether a fault that concerns a shard happened within a time span.
    func hasFault(in span: ClosedRange<Int64>, of shard: Shard?) -> Bool {
        let locks = shard.flatMap { lockSpans[Int16($0.rawValue)] } ?? []
        return faultTimes.contains(where: span.contains) || (faultSpans + locks).contains(where: span.overlaps)
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
