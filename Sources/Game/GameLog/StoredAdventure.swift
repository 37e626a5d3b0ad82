public import Encodings
public import GameCore

/// An adventure, played from its stored opening and inputs up to a moment.
public struct StoredAdventure: Sendable {
    /// The identifier.
    ///
    /// Its last byte is the shard of the party.
    public let id: AdventureID
    /// The party on the adventure.
    public let partyID: PartyID
    /// When it started.
    public let startedAt: Timestamp
    /// The position of the shard's log up to which all inputs are known.
    public private(set) var readPosition: Int64
    /// The digest of the log up to there, if it was read there.
    public private(set) var readDigest: LogDigest?
    /// The moment up to which it is played.
    public private(set) var playedUntil: Timestamp
    /// The moment of the newest outage; nil without one.
    public private(set) var newestOutageAt: Timestamp?
    private var course: Course
    /// The moment of the newest entry that it was played with; later ones are not earlier.
    private var newestEntryAt: Timestamp

    /// How it is known what happens.
    private enum Course: Sendable {
        /// Played from the opening.
        case played(Timeline)
        /// Only the stored last state is known.
        case ended(Adventure, at: Timestamp)
        /// Only while a method changes the timeline, which is then not copied.
        case taken
    }

    /// Starts an adventure that is not stored yet.
    /// - Parameters:
    ///   - id: its identifier.
    ///   - partyID: its party.
    ///   - opening: its value before the start.
    ///   - start: the moment of the start.
    ///   - interval: the tick interval of a journey, or how long a turn of a fight stays open.
    ///   - events: the buffer to which the events of the start are appended.
    public init(
        _ id: AdventureID,
        of partyID: PartyID,
        starting opening: Adventure,
        at start: Timestamp,
        interval: Duration,
        appendingTo events: inout [StoredEvent]
    ) {
        self.id = id
        self.partyID = partyID
        startedAt = start
        newestEntryAt = start
        playedUntil = start
        readPosition = 0
        var started: [AdventureEvent] = []
        let timeline = Timeline(
            starting: opening,
            of: id,
            at: start,
            interval: interval,
            appendingTo: &started
        )
        course = .played(timeline)
        Self.append(started, after: 0, of: timeline.adventure, at: start, to: &events)
    }

    /// Creates an adventure of which only the stored last state is known.
    package init(
        _ id: AdventureID,
        of partyID: PartyID,
        startedAt: Timestamp,
        ended adventure: Adventure,
        at end: Timestamp
    ) {
        self.id = id
        self.partyID = partyID
        self.startedAt = startedAt
        newestEntryAt = end
        playedUntil = end
        readPosition = 0
        course = .ended(adventure, at: end)
    }

    /// The state of the game.
    public var adventure: Adventure {
        switch course {
        case .played(let timeline): timeline.adventure
        case .ended(let adventure, _): adventure
        case .taken: preconditionFailure("the timeline is being played")
        }
    }

    /// When it ended; nil while it is running.
    public var endedAt: Timestamp? {
        switch course {
        case .played(let timeline): timeline.nextTickAt == nil ? timeline.newestEventAt : nil
        case .ended(_, let end): end
        case .taken: preconditionFailure("the timeline is being played")
        }
    }

    /// When the next tick is due unless an input comes first; nil after the end.
    public var nextTickAt: Timestamp? {
        if case .played(let timeline) = course { timeline.nextTickAt } else { nil }
    }

    /// The deadline of a boss fight's open turn; nil without an open turn.
    public var turnDueAt: Timestamp? { adventure.turn == nil ? nil : nextTickAt }

    /// The blows of a raid fight about which the raid's home has decided nothing yet; empty in other adventures.
    public var undecidedBlows: [RaidBlow] {
        if case .played(let timeline) = course { timeline.raidBlows?.blows ?? [] } else { [] }
    }

    /// The damage of a raid fight that counts, by the decisions so far; nil in other adventures.
    public var countedDamage: Int? {
        if case .played(let timeline) = course { timeline.countedDamage } else { adventure.raid?.dealt }
    }

    /// When it ends without another input; the end itself if it has ended.
    // Not inlined: the optimizer of Swift 6.3.1 fails on the result.
    @inline(never)
    package var projectedEnd: Timestamp {
        switch course {
        case .played(let timeline): timeline.end
        case .ended(_, let end): end
        case .taken: preconditionFailure("the timeline is being played")
        }
    }

    /// The time between two ticks of a journey, or for which a turn stays open; nil if only the last state is known.
    package var interval: Duration? {
        if case .played(let timeline) = course { timeline.interval } else { nil }
    }

    // Not inlined: the optimizer of Swift 6.3.1 fails on the result.
    /// The digest of all events so far; nil if only the last state is known.
    @inline(never)
    public var digest: EventDigest? {
        if case .played(let timeline) = course { timeline.digest } else { nil }
    }

    // Not inlined: the optimizer of Swift 6.3.1 fails on the result.
    /// The experience that each hero has gained, by seat; empty if only the last state is known.
    @inline(never)
    package var gainedExperience: [Int] {
        if case .played(let timeline) = course { timeline.gainedExperience } else { [] }
    }

    /// Plays all ticks that are due by a moment.
    /// - Parameters:
    ///   - moment: the moment, which the shard's clock must have reached: a later input could come before the ticks.
    ///   - observe: called after each tick with its events, the adventure then, and the moment of the tick.
    public mutating func play(
        to moment: Timestamp,
        _ observe: (ArraySlice<AdventureEvent>, Adventure, Timestamp) -> Void = { _, _, _ in }
    ) {
        playedUntil = max(playedUntil, moment)
        // The case is taken out while the timeline changes, so that it is not copied.
        guard case .played(var timeline) = course, let next = timeline.nextTickAt, next <= moment else { return }
        course = .taken
        var events: [AdventureEvent] = []
        while let tickAt = timeline.playTick(dueBy: moment, appendingTo: &events) {
            observe(events[...], timeline.adventure, tickAt)
            events.removeAll(keepingCapacity: true)
        }
        course = .played(timeline)
    }

    /// Plays up to a moment, and appends the events to a buffer.
    public mutating func play(to moment: Timestamp, appendingTo events: inout [StoredEvent]) {
        play(to: moment) { new, adventure, at in
            Self.append(new, after: adventure.sequence - new.count, of: adventure, at: at, to: &events)
        }
    }

    /// Takes an input, after all ticks that are due by its moment.
    /// - Parameters:
    ///   - input: the input.
    ///   - moment: the moment of the input.
    ///   - events: the buffer to which the events of ticks and input are appended.
    /// - Returns: the events of the input.
    /// - Throws: ``AdventureRefusal`` if the rules do not allow the input; only the ticks are then played.
    package mutating func take(
        _ input: AdventureInput,
        at moment: Timestamp,
        appendingTo events: inout [StoredEvent]
    ) throws(AdventureRefusal) -> [StoredEvent] {
        play(to: moment, appendingTo: &events)
        guard case .played(var timeline) = course else { throw .adventureOver }
        let before = timeline.adventure.sequence
        var new: [AdventureEvent] = []
        try timeline.take(input, at: moment, appendingTo: &new)
        course = .played(timeline)
        newestEntryAt = moment
        var records: [StoredEvent] = []
        Self.append(new[...], after: before, of: timeline.adventure, at: moment, to: &records)
        events += records
        return records
    }

    /// Applies an entry of the shard's log: an input of this adventure, an outage, or the record of its end, which is
    /// compared with what was played.
    ///
    /// Entries that are known already, and entries of other kinds, change nothing.
    /// - Parameters:
    ///   - entry: the next entry of the log that concerns the adventure.
    ///   - events: the buffer to which the events of ticks and input are appended.
    /// - Throws: ``StoreError/undecodable(table:id:reason:)`` if the entry cannot belong to the adventure.
    public mutating func apply(_ entry: LogEntry, appendingTo events: inout [StoredEvent]) throws(StoreError) {
        guard entry.position > readPosition else { return }
        (readPosition, readDigest) = (entry.position, nil)
        switch entry.content {
        case .input(let input):
            try apply(input, at: entry.at, digest: entry.eventDigest, appendingTo: &events)
        case .outage(let duration):
            guard entry.at >= decidedUntil else {
                throw unplayable("an outage is earlier than what happened before it")
            }
            postpone(by: duration, at: entry.at, appendingTo: &events)
        case .raid(let raidID, let decision):
            try apply(decision, of: raidID, at: entry.at, appendingTo: &events)
        case .unreadable(let error):
            throw error
        case .ended:
            play(to: entry.at, appendingTo: &events)
            // An operator has ended it because other nodes could not play it.
            guard endedAt != nil else { throw unplayable("its end is recorded, and by its events it goes on") }
            try check(entry.eventDigest)
        case .started, .activityRegistered, .activityReleased, .activityPushRequested:
            break
        }
    }

    /// Applies a decision about a raid, if it is the raid of this fight and the fight did not begin with it.
    ///
    /// A fight that has ended goes on to know which of its last blows count.
    package mutating func apply(
        _ decision: RaidDecision,
        of raidID: RaidID,
        at moment: Timestamp,
        appendingTo events: inout [StoredEvent]
    ) throws(StoreError) {
        guard let raid = adventure.raid, raid.raidID == raidID, decision.number > raid.decision else { return }
        play(to: moment, appendingTo: &events)
        if endedAt != nil {
            guard case .played(var timeline) = course else { return }
            timeline.settle(decision)
            course = .played(timeline)
        } else if decision.number > raid.decision + 1 {
            throw unplayable("decision \(decision.number) of its raid follows on decision \(raid.decision)")
        } else {
            try apply(.raid(decision), at: moment, digest: nil, appendingTo: &events)
        }
    }

    /// Applies a stored input.
    package mutating func apply(
        _ input: AdventureInput,
        at moment: Timestamp,
        digest stored: UInt64?,
        appendingTo events: inout [StoredEvent]
    ) throws(StoreError) {
        guard input != .start, input != .tick else { throw unplayable("'\(input)' is no input") }
        guard moment >= decidedUntil else { throw unplayable("an input is earlier than what happened before it") }
        do throws(AdventureRefusal) {
            _ = try take(input, at: moment, appendingTo: &events)
        } catch {
            throw unplayable("the input after event \(adventure.sequence) is refused: \(error.slug)")
        }
        try check(stored)
    }

    /// The moment of the newest event or entry, before which nothing can come any more.
    private var decidedUntil: Timestamp {
        if case .played(let timeline) = course { max(newestEntryAt, timeline.newestEventAt) } else { newestEntryAt }
    }

    /// Checks that nothing has happened after a moment, at which an input is to be taken.
    package func check(isDecidedBy moment: Timestamp) throws(StoreError) {
        guard moment >= decidedUntil else { throw unplayable("its newest input is later than the clock of its shard") }
    }

    /// Compares the digest of the events so far with a stored one.
    package func check(_ stored: UInt64?) throws(StoreError) {
        guard let stored, let digest, stored != digest.value else { return }
        throw unplayable(
            "its \(adventure.sequence) events so far are not those that were recorded: the digest differs"
        )
    }

    /// Stops the time of the game from a moment on, because of an outage.
    package mutating func postpone(by duration: Duration, at moment: Timestamp, appendingTo events: inout [StoredEvent])
    {
        play(to: moment, appendingTo: &events)
        newestEntryAt = max(newestEntryAt, moment)
        newestOutageAt = moment
        guard case .played(var timeline) = course else { return }
        timeline.postpone(by: duration)
        course = .played(timeline)
    }

    /// Notes that all inputs are known that the log had at a head.
    package mutating func noteRead(through head: Int64, _ digest: LogDigest) {
        guard head >= readPosition else { return }
        (readPosition, readDigest) = (head, digest)
    }

    private func unplayable(_ reason: String) -> StoreError {
        .undecodable(table: "adventures", id: id.description, reason: reason)
    }

    private static func append(
        _ events: some Collection<AdventureEvent>,
        after sequence: Int,
        of adventure: Adventure,
        at moment: Timestamp,
        to records: inout [StoredEvent]
    ) {
        for (offset, event) in events.enumerated() {
            records.append(
                StoredEvent(sequence: sequence + offset + 1, tick: adventure.tick, at: moment, event: event)
            )
        }
    }
}

/// An event of an adventure.
public struct StoredEvent: Sendable {
    /// The sequence within the adventure, from 1.
    public let sequence: Int
    /// The tick in which it happened.
    public let tick: Int
    /// The moment at which it happened.
    public let at: Timestamp
    /// The event.
    public let event: AdventureEvent

    /// Creates an event.
    public init(sequence: Int, tick: Int, at: Timestamp, event: AdventureEvent) {
        self.sequence = sequence
        self.tick = tick
        self.at = at
        self.event = event
    }
}
