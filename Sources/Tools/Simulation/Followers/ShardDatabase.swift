package import Encodings
package import GameCore
package import GameLog
package import PushDispatch

/// The rows of one shard as a database has them: its log, its clock, its adventures and their activities.
///
/// It is a value, so a run can go back to an earlier one, as a failover does that loses commits.
package struct ShardDatabase {
    /// An adventure, as its row has it.
    private struct AdventureRow {
        let opening: Adventure
        let interval: Duration
        let startedAt: Timestamp
        /// Its last state, once its end is recorded although it cannot be played.
        var ended: (state: Adventure, at: Timestamp)?
    }

    package static let shard = Shard(rawValue: 7)

    /// The log; an entry's position is its index plus 1.
    package private(set) var log: [LogEntry] = []
    /// What the digests have of the entries' contents, in the order of the log.
    private var bodies: [String] = []
    private(set) var clock: Timestamp
    /// How far the clock of the database is behind that of the nodes, since a standby with another clock took over.
    private var lag = Duration.zero
    private var digest = LogDigest()
    private var adventures: [AdventureID: AdventureRow] = [:]
    package var activities: [ActivityKey: Activity] = [:]
    private(set) var decisions: [ActivityKey: [UInt8]] = [:]
    /// The adventures of which a member has a device with an alert token.
    var adventuresWithAlertDevices: Set<AdventureID> = []
    /// The log position up to which no entry needs to be read again.
    var checkpoint: Int64 = 0
    /// The defect of what is stored.
    var defect: Defect?

    package init(at clock: Timestamp) {
        self.clock = clock
    }

    package var head: ShardHead {
        ShardHead(
            shard: Self.shard,
            head: Int64(log.count),
            digest: digest,
            clock: clock,
            stoppedFor: .zero,
            journeys: 0,
            bossFights: 0,
            requires: RulesVersion.current.rawValue
        )
    }

    /// The rows of live activities.
    package var liveActivities: [RegisteredActivity] {
        activities.values.filter { $0.state == .live }.sorted { $0.id < $1.id }.map { activity in
            let key = ActivityKey(adventureID: activity.adventureID, activityID: activity.id)
            var activity = activity
            activity.budgetFullAt = sharedBudget(of: activity)
            return RegisteredActivity(activity: activity, decisions: decisions[key])
        }
    }

    /// When the budget of an activity's device is full again.
    private func sharedBudget(of activity: Activity) -> Timestamp? {
        activities.values.filter { $0.playerID == activity.playerID && $0.deviceID == activity.deviceID }
            .compactMap(\.budgetFullAt).max()
    }

    // MARK: - What players, operators and the engine do

    /// The engine moves the clock.
    package mutating func moveClock(to now: Timestamp) { clock = max(clock, now - lag) }

    /// A standby takes over whose clock is behind, and which has not seen the newest movements of the shard's clock.
    package mutating func setClock(back duration: Duration) {
        lag = lag + duration
        clock = clock - duration
    }

    package mutating func start(_ id: AdventureID, _ opening: Adventure, interval: Duration, at now: Timestamp) {
        append(.started, of: id, at: now)
        adventures[id] = AdventureRow(opening: opening, interval: interval, startedAt: clock)
    }

    /// Gives an adventure an input.
    /// - Returns: false if the rules refuse it.
    package mutating func give(_ input: AdventureInput, to id: AdventureID, at now: Timestamp) -> Bool {
        guard case .success(var stored)? = play(id) else { return false }
        var events: [StoredEvent] = []
        let at = nextMoment(at: now)
        do {
            _ = try stored.take(input, at: at, appendingTo: &events)
        } catch {
            return false
        }
        append(.input(input), of: id, at: now, eventDigest: stored.digest?.value)
        return true
    }

    /// Appends an input after which the adventure has other events than those that were recorded.
    package mutating func damage(_ id: AdventureID, at now: Timestamp) {
        let heroes = adventures[id]?.opening.heroes ?? []
        append(.input(.command(.policy(.guard), by: heroes[0].playerID)), of: id, at: now, eventDigest: 1)
    }

    /// Appends an outage that cannot be decoded.
    package mutating func damageOutage(at now: Timestamp) {
        append(.unreadable(.undecodable(table: "log", id: "", reason: "'leap' is no duration")), of: nil, at: now)
    }

    /// An operator ends an adventure that cannot be played: its row gets its last state.
    package mutating func recordEnd(ofUnplayable id: AdventureID, at now: Timestamp) throws {
        guard var adventure = adventures[id]?.opening else { return }
        _ = try adventure.advance(.start)
        _ = try adventure.advance(.end)
        append(.ended, of: id, at: now)
        adventures[id]?.ended = (adventure, clock)
    }

    /// Registers an activity, or a new token of it.
    package mutating func register(_ activity: Activity, at now: Timestamp) {
        let key = ActivityKey(adventureID: activity.adventureID, activityID: activity.id)
        append(.activityRegistered(activity.id), of: activity.adventureID, at: now)
        guard var row = activities[key] else {
            activities[key] = Activity(
                id: activity.id,
                adventureID: activity.adventureID,
                playerID: activity.playerID,
                deviceID: activity.deviceID,
                pushToken: activity.pushToken,
                environment: activity.environment,
                frequentPushesEnabled: activity.frequentPushesEnabled,
                locale: nil,
                generation: 1,
                state: .live,
                registeredAt: clock,
                tokenRegisteredAt: clock,
                lastTimestamp: 0,
                acknowledgedAt: clock - .microseconds(1),
                acceptedAlerts: [],
                startsAt: activity.startsAt
            )
            return
        }
        row.pushToken = activity.pushToken
        row.environment = activity.environment
        row.generation += 1
        row.state = row.state == .dead ? .live : row.state
        row.tokenRegisteredAt = clock
        activities[key] = row
    }

    /// The app announces when a scheduled activity starts, or has started.
    package mutating func announceStart(of key: ActivityKey, at moment: Timestamp, now: Timestamp) {
        append(.activityRegistered(key.activityID), of: key.adventureID, at: now)
        activities[key]?.startsAt = moment
    }

    /// The app changes which alerts ring on an activity's device.
    package mutating func changeAlerts(of key: ActivityKey, to preferences: AlertPreferences, now: Timestamp) {
        append(.activityRegistered(key.activityID), of: key.adventureID, at: now)
        activities[key]?.alertPreferences = preferences
    }

    package mutating func release(_ key: ActivityKey, at now: Timestamp) {
        append(.activityReleased(key.activityID), of: key.adventureID, at: now)
        if activities[key]?.state == .live { activities[key]?.state = .released }
    }

    package mutating func request(_ event: RequestedPush.Event, to key: ActivityKey, at now: Timestamp) {
        append(.activityPushRequested(key.activityID, event), of: key.adventureID, at: now)
    }

    package mutating func decide(_ decision: RaidDecision, about raidID: RaidID, at now: Timestamp) {
        append(.raid(raidID, decision), of: nil, at: now)
    }

    package mutating func passOutage(of duration: Duration, at now: Timestamp) {
        append(.outage(duration), of: nil, at: now)
        clock = clock + duration
    }

    /// Stores what a follower wants to be stored.
    /// - Returns: false if nothing is stored, since the batch follows from a longer log.
    package mutating func store(_ batch: FlushBatch) -> Bool {
        guard batch.checkpoint <= head.head else { return false }
        checkpoint = max(checkpoint, batch.checkpoint)
        for checkpoint in batch.activities {
            let key = ActivityKey(adventureID: checkpoint.adventureID, activityID: checkpoint.activityID)
            guard var row = activities[key] else { continue }
            row.lastTimestamp = max(row.lastTimestamp, checkpoint.lastTimestamp)
            row.acknowledgedAt = max(row.acknowledgedAt, checkpoint.acknowledgedAt)
            row.acceptedAlerts = checkpoint.acceptedAlerts
            if defect != .budgetsLost { row.budgetFullAt = checkpoint.budgetFullAt }
            if row.state == .live, row.generation == checkpoint.generation || checkpoint.state == .ended {
                row.state = checkpoint.state
            }
            activities[key] = row
        }
        for log in batch.decisions {
            decisions[ActivityKey(adventureID: log.adventureID, activityID: log.activityID)] = log.entries
        }
        return true
    }

    // MARK: - What readers see

    /// Returns the seat of a player in an adventure.
    func seat(of playerID: PlayerID, in id: AdventureID) -> Int? {
        adventures[id]?.opening.heroes.firstIndex { $0.playerID == playerID }
    }

    /// Plays an adventure up to the clock.
    /// - Returns: the adventure, or why it cannot be played; nil if there is none.
    package func play(_ id: AdventureID, observing observe: (StoredEvent) -> Void = { _ in }) -> Result<
        StoredAdventure, StoreError
    >? {
        guard let row = adventures[id] else { return nil }
        let party = PartyID(rawValue: id.rawValue)
        if let ended = row.ended {
            return .success(StoredAdventure(id, of: party, startedAt: row.startedAt, ended: ended.state, at: ended.at))
        }
        var events: [StoredEvent] = []
        var stored = StoredAdventure(
            id,
            of: party,
            starting: row.opening,
            at: row.startedAt,
            interval: row.interval,
            appendingTo: &events
        )
        do throws(StoreError) {
            for entry in log where entry.at > row.startedAt && (entry.adventureID == id || entry.adventureID == nil) {
                try stored.apply(entry, appendingTo: &events)
            }
        } catch {
            return .failure(error)
        }
        stored.play(to: clock, appendingTo: &events)
        stored.noteRead(through: head.head, head.digest)
        for event in events { observe(event) }
        return .success(stored)
    }

    /// Returns adventures with their live activities; nil without adventures.
    package func load(_ ids: [AdventureID], keepingAfter acknowledged: [AdventureID: Timestamp] = [:])
        -> LoadedAdventures?
    {
        guard !ids.isEmpty else { return nil }
        var histories: [AdventureID: AdventureHistory] = [:]
        let results = ids.compactMap { id in
            play(id) { histories[id, default: AdventureHistory()].add($0, keepingAfter: acknowledged[id]) }
        }
        let live = liveActivities.filter { ids.contains($0.activity.adventureID) }
        return LoadedAdventures(
            ids: ids,
            results: results,
            histories: histories,
            playerNames: playerNames(in: ids),
            activities: live
        )
    }

    /// Returns the names of the players on adventures, of which those who have left have no row any more.
    func playerNames(in ids: some Sequence<AdventureID>) -> [AdventureID: [PlayerID: String]] {
        var names: [AdventureID: [PlayerID: String]] = [:]
        for id in ids {
            guard case .success(let stored)? = play(id) else { continue }
            let members = stored.adventure.heroes.enumerated().filter { !$1.hasLeft }
            names[id] = Dictionary(members.map { ($1.playerID, Self.playerName(at: $0)) }) { $1 }
        }
        return names
    }

    /// The name of the player of the hero at a seat.
    package static func playerName(at seat: Int) -> String { "Player \(seat)" }

    /// Returns a page of the log, whose digests continue the reader's, as those of the store do.
    /// - Parameters:
    ///   - position: the position up to which the log was read.
    ///   - digest: the digest of the entries that were read up to there.
    ///   - end: the position up to which the page is read.
    /// - Returns: the entries of the page.
    func page(after position: Int64, _ digest: LogDigest, to end: Int64) -> [LogEntry] {
        var digest = digest
        return zip(log, bodies).filter { entry, _ in entry.position > position && entry.position <= end }
            .map { entry, body in entry.continuing(&digest, body: body) }
    }

    private func nextMoment(at now: Timestamp) -> Timestamp { max(now - lag, clock + .microseconds(1)) }

    private mutating func append(
        _ content: LogEntry.Content,
        of id: AdventureID?,
        at now: Timestamp,
        eventDigest: UInt64? = nil
    ) {
        let entry = LogEntry(
            position: Int64(log.count) + 1,
            adventureID: id,
            at: nextMoment(at: now),
            content: content,
            eventDigest: eventDigest,
            digest: digest
        )
        let body = "\(content)"
        log.append(entry.continuing(&digest, body: body))
        bodies.append(body)
        clock = entry.at
    }
}

extension LogEntry {
    /// Returns the entry after entries with a digest, to which it is added.
    fileprivate func continuing(_ digest: inout LogDigest, body: String) -> Self {
        digest.add(
            LogRow(
                position: position,
                at: at,
                kind: "entry",
                adventureID: adventureID,
                body: body,
                digest: eventDigest.map(Int64.init(bitPattern:))
            )
        )
        return Self(
            position: position,
            adventureID: adventureID,
            at: at,
            content: content,
            isKnown: isKnown,
            eventDigest: eventDigest,
            digest: digest
        )
    }
}
