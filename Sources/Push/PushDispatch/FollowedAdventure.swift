package import Encodings
package import GameCore
package import GameLog
import LiveActivityContent
import PushRules

/// An adventure with the activities that show it.
final class FollowedAdventure {
    private(set) var stored: StoredAdventure
    /// The last event that is a headline.
    private(set) var headline: AdventureEvent
    /// The moment of the newest change of the state.
    private(set) var changedAt: Timestamp
    /// The names of the members, which alerts need where two heroes are the same; otherwise possibly empty.
    ///
    /// A name is forgotten when its player leaves the party, or is erased.
    private(set) var playerNames: [PlayerID: String]
    /// The activities in the order of their identifiers, so that a seeded run is reproducible; there are few.
    private(set) var activities: [FollowedActivity] = []
    /// Whether a member has a device with an alert token: members whose devices do not show the adventure get ordinary alerts.
    var hasAlertDevices = false
    /// When the tick is due that the shard's heap has for it; nil if the heap has none.
    var scheduledTickAt: Timestamp?
    /// The newest state in encoded form, for each notice that is shown with it.
    private var encoded: [(notice: ActivityNotice?, content: EncodedContentState)] = []

    var id: AdventureID { stored.id }

    /// Whether the adventure is followed: it has activities, or goes on and ordinary alerts may be sent.
    var isNeeded: Bool { !activities.isEmpty || hasAlertDevices && stored.endedAt == nil }

    /// Creates an adventure with what is known of its events, and the names of the members.
    init(_ stored: StoredAdventure, after history: AdventureHistory, naming playerNames: [PlayerID: String] = [:]) {
        self.stored = stored
        self.playerNames = playerNames
        headline = history.headline ?? stored.adventure.ownHeadline
        changedAt = history.newestAt ?? stored.endedAt ?? stored.startedAt
    }

    /// Replaces what was played by what was recorded.
    func replace(with stored: StoredAdventure, after history: AdventureHistory) {
        self.stored = stored
        headline = history.headline ?? stored.adventure.ownHeadline
        changedAt = history.newestAt ?? stored.endedAt ?? stored.startedAt
        encoded = []
    }

    /// Plays the ticks that are due by a moment.
    /// - Returns: their events.
    func play(to moment: Timestamp) -> [StoredEvent] {
        var events: [StoredEvent] = []
        stored.play(to: moment, appendingTo: &events)
        note(events)
        return events
    }

    /// Plays the ticks that are due by the moment of a log entry, and applies the entry unless it is known already.
    /// - Parameters:
    ///   - entry: the entry.
    ///   - names: the names of the members, if a member joins.
    /// - Returns: the events.
    /// - Throws: why it cannot be played.
    func apply(_ entry: LogEntry, naming names: [PlayerID: String]? = nil) throws(StoreError) -> [StoredEvent] {
        var events: [StoredEvent] = []
        try stored.apply(entry, appendingTo: &events)
        switch entry.content {
        case .input(.join): playerNames = names ?? playerNames
        case .input(.leave(let playerID)): playerNames[playerID] = nil
        default: break
        }
        note(events)
        // An outage moves the deadline without an event.
        encoded = []
        return events
    }

    private func note(_ events: [StoredEvent]) {
        guard let newest = events.last else { return }
        changedAt = newest.at
        if let event = events.last(where: \.event.isHeadline) { headline = event.event }
        encoded = []
    }

    func activity(_ id: ActivityID) -> FollowedActivity? { activities.first { $0.activity.id == id } }

    /// Adds an activity, in place of one with the same identifier.
    func add(_ activity: FollowedActivity) {
        remove(activity.activity.id)
        let index = activities.firstIndex { $0.activity.id > activity.activity.id }
        activities.insert(activity, at: index ?? activities.endIndex)
    }

    /// Removes and returns an activity.
    @discardableResult
    func remove(_ id: ActivityID) -> FollowedActivity? {
        activities.firstIndex { $0.activity.id == id }.map { activities.remove(at: $0) }
    }

    /// Whether the newest state is kept in encoded form for some notice.
    var isEncoded: Bool { !encoded.isEmpty }

    /// Frees the encoded state; it is encoded again when it is needed.
    func forgetEncoded() { encoded = [] }

    /// Returns the newest state, which the caller has at hand, as JSON for the hero at a seat; it is encoded once for all
    /// heroes.
    func contentState(for seat: Seat, of state: Adventure, notice: ActivityNotice?) -> [UInt8] {
        let level = state.heroes[seat.rawValue].shownHealthLevel
        if let known = encoded.first(where: { $0.notice == notice }) {
            return known.content.bytes(currentHealthLevel: level)
        }
        let content = EncodedContentState(
            AdventureAttributes.ContentState(
                of: state,
                lastEvent: headline,
                turnEnds: stored.turnDueAt,
                notice: notice
            )
        )
        encoded.append((notice, content))
        return content.bytes(currentHealthLevel: level)
    }
}

/// What a dispatcher keeps of the events of an adventure that it loads.
package struct AdventureHistory {
    /// The last headline; nil without one.
    private(set) var headline: AdventureEvent?
    /// The moment of the newest event; nil without events.
    private(set) var newestAt: Timestamp?
    /// The events that an activity may not have acknowledged, oldest first.
    private(set) var events: [StoredEvent] = []

    /// Creates a history without events.
    package init() {}

    /// Adds the next event, and keeps it if it is later than a moment.
    package mutating func add(_ event: StoredEvent, keepingAfter moment: Timestamp?) {
        newestAt = event.at
        if event.event.isHeadline { headline = event.event }
        if moment.map({ event.at > $0 }) ?? true { events.append(event) }
    }
}

extension Adventure {
    /// The headline of an adventure whose events are not stored any more.
    package var ownHeadline: AdventureEvent {
        if case .ended(let outcome) = status {
            .adventureEnded(outcome: outcome)
        } else {
            .adventureStarted(kind: kind)
        }
    }
}

/// The adventures whose encoded state is kept: those that were sent last, since further pushes of them may follow soon.
struct EncodedAdventures {
    private var latest: [FollowedAdventure?]
    private var next = 0

    /// Creates an empty cache.
    /// - Parameter count: the number of adventures kept.
    init(keeping count: Int) {
        latest = Array(repeating: nil, count: count)
    }

    /// Adds an adventure that is about to be encoded; the encoded state of the oldest one is freed.
    mutating func add(_ adventure: FollowedAdventure) {
        latest[next]?.forgetEncoded()
        latest[next] = adventure
        next = (next + 1) % latest.count
    }
}
