public import Encodings

/// An adventure with the moments of its ticks.
///
/// The opening, the start, the interval, and the inputs with their moments decide every tick, every event and every
/// state. A timeline derives them: it plays the ticks that are due, takes inputs, and knows when its next tick is due. It
/// is a value, so a copy can be played ahead; see ``end``.
///
/// A journey ticks at a fixed interval from its start. In a boss fight each turn stays open for the interval; a command
/// that resolves the turn opens the next one at the moment of the command.
public struct Timeline: Hashable, Sendable {
    /// The adventure after all ticks and inputs so far.
    public private(set) var adventure: Adventure
    /// The time between two ticks of a journey, or for which a turn of a fight stays open.
    public let interval: Duration
    /// When the next tick is due, which in a fight is the deadline of the open turn; nil after the end.
    public private(set) var nextTickAt: Timestamp?
    /// The moment of the newest event.
    public private(set) var newestEventAt: Timestamp
    /// The digest of all events so far.
    public private(set) var digest = EventDigest()
    /// The blows of a raid fight that may not count yet; nil in other adventures.
    public private(set) var raidBlows: RaidBlows?
    /// The experience with which each hero came, by seat.
    private var startingExperience: [Int]

    /// The experience that each hero has gained, by seat.
    public var gainedExperience: [Int] { zip(adventure.heroes, startingExperience).map { $0.experience - $1 } }

    /// Starts an adventure.
    /// - Parameters:
    ///   - opening: the adventure before any input.
    ///   - id: the identifier of the adventure, which the order of blows in a raid depends on; other adventures need none.
    ///   - start: the moment of the start.
    ///   - interval: the tick interval of a journey or the length of a fight's turns, longer than zero.
    ///   - events: the buffer to which the events of the start are appended.
    public init(
        starting opening: Adventure,
        of id: AdventureID? = nil,
        at start: Timestamp,
        interval: Duration,
        appendingTo events: inout [AdventureEvent]
    ) {
        precondition(interval > .zero, "the interval must be longer than zero, not \(interval)")
        adventure = opening
        startingExperience = opening.heroes.map(\.experience)
        self.interval = interval
        newestEventAt = start
        if let raid = opening.raid {
            guard let id else { preconditionFailure("the fight of a raid has an identifier") }
            raidBlows = RaidBlows(of: id, startedAt: start, countsFrom: raid.countsFrom)
        }
        let count = events.count
        do { try adventure.advance(.start, appendingTo: &events) } catch {
            preconditionFailure("the opening cannot start: \(error)")
        }
        record(events[count...], at: start)
        nextTickAt = start + interval
    }

    /// Plays the next tick if it is due; call it until it returns nil.
    /// - Parameters:
    ///   - moment: the moment up to which ticks are due, inclusive.
    ///   - events: the buffer to which the tick's events are appended; reusing it avoids allocations.
    /// - Returns: the moment of the tick; nil if none is due.
    public mutating func playTick(dueBy moment: Timestamp, appendingTo events: inout [AdventureEvent]) -> Timestamp? {
        guard let due = nextTickAt, due <= moment else { return nil }
        let count = events.count
        do { try adventure.advance(.tick, appendingTo: &events) } catch {
            preconditionFailure("a running adventure refused a tick: \(error)")
        }
        record(events[count...], at: due)
        nextTickAt = adventure.status == .running ? due + interval : nil
        return due
    }

    /// Takes an input; all ticks that are due by its moment must have been played.
    /// - Parameters:
    ///   - input: the input; starts and ticks are none, since they follow from the timeline.
    ///   - moment: the moment of the input, not before earlier ones.
    ///   - events: the buffer to which the input's events are appended, at least one.
    /// - Throws: ``AdventureRefusal`` if the rules do not allow the input; timeline and buffer are then unchanged.
    public mutating func take(_ input: AdventureInput, at moment: Timestamp, appendingTo events: inout [AdventureEvent])
        throws(AdventureRefusal)
    {
        precondition(input != .start && input != .tick, "\(input) follows from the timeline")
        precondition(moment >= newestEventAt, "the input is earlier than the newest event")
        if let nextTickAt { precondition(moment < nextTickAt, "a tick that is due by the input has not been played") }
        let (turn, count) = (adventure.turn, events.count)
        if case .raid(let decision) = input, let uncounted = raidBlows?.uncounted(by: decision), uncounted > 0 {
            // A copy, because the decision may be refused.
            var adventure = adventure
            adventure.discount(uncounted)
            try adventure.advance(input, appendingTo: &events)
            self.adventure = adventure
        } else {
            try adventure.advance(input, appendingTo: &events)
        }
        if case .raid(let decision) = input { raidBlows?.removeDecided(by: decision) }
        startingExperience += adventure.heroes.dropFirst(startingExperience.count).map(\.experience)
        record(events[count...], at: moment)
        if adventure.status != .running {
            nextTickAt = nil
        } else if adventure.turn != turn {
            nextTickAt = moment + interval
        }
    }

    /// Postpones the next tick, and with it all later ones, because the game's time stood still during an outage.
    public mutating func postpone(by outage: Duration) {
        nextTickAt = nextTickAt.map { $0 + outage }
    }

    /// Notes a decision about the raid of a fight that had ended before: some of its blows may not count.
    public mutating func settle(_ decision: RaidDecision) {
        precondition(adventure.outcome != nil, "a running fight takes the decision as an input")
        raidBlows?.settle(decision)
    }

    /// The damage of a raid fight that counts, by the decisions so far; nil in other adventures.
    public var countedDamage: Int? {
        guard let raid = adventure.raid, let raidBlows else { return nil }
        return raid.dealt - raidBlows.excluded
    }

    /// When the adventure ends if there are no more inputs; the end itself if it has ended.
    ///
    /// Plays a copy to its end, which takes some microseconds. The end of a raid fight depends on the raid: that of a
    /// running one is thirty days after its start, which is longer than a raid.
    public var end: Timestamp {
        if let raidBlows, nextTickAt != nil { return raidBlows.startedAt + Self.raidLimit }
        var copy = self
        var events: [AdventureEvent] = []
        while let next = copy.nextTickAt {
            events.removeAll(keepingCapacity: true)
            _ = copy.playTick(dueBy: next, appendingTo: &events)
        }
        return copy.newestEventAt
    }

    /// Longer than any raid.
    private static let raidLimit = Duration.seconds(30 * 86_400)

    private mutating func record(_ events: ArraySlice<AdventureEvent>, at moment: Timestamp) {
        newestEventAt = moment
        for event in events { digest.add(event) }
        guard raidBlows != nil else { return }
        let first = adventure.sequence - events.count + 1
        for (offset, event) in events.enumerated() {
            guard case .actionTaken(_, _, let damage) = event, damage > 0 else { continue }
            raidBlows?.add(damage, sequence: first + offset, at: moment)
        }
    }
}
