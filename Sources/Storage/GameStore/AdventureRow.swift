import Encodings
import GameCore
import GameLog
import PostgresClient

/// The columns of an adventure, not yet played.
struct AdventureRow {
    let id: AdventureID
    let partyID: PartyID
    let opening: String
    let startedAt: Timestamp
    let interval: Duration
    let endsAt: Timestamp
    let finalState: String?
    let finalDigest: Int64?
    let endedAt: Timestamp?
    let fault: String?
    /// The raid of a raid fight; nil for other adventures.
    let raidID: RaidID?
    let clock: Timestamp
    let head: Int64
    let headDigest: LogDigest
    /// How long outages have stopped the games of its shard.
    let stoppedFor: Duration
    private(set) var inputs: [Entry]
    let outages: [Entry]

    /// An entry of the log.
    struct Entry: Hashable, Sendable {
        let position: Int64
        let at: Timestamp
        let body: String
        /// The digest of the events so far.
        let digest: UInt64?
        /// A decision about a raid that is decoded already, since many fights share it.
        var decision: RaidDecisionEntry?
    }

    /// What the home of a raid decided.
    struct RaidDecisionEntry: Hashable, Sendable {
        let raidID: RaidID
        let decision: RaidDecision
    }

    /// Decodes a row.
    /// - Throws: ``StoreError/newerShard(_:requires:)`` if its shard needs a newer version than the known one.
    init(_ row: PostgresRow, knowing version: RulesVersion) throws {
        let (
            id, partyID, opening, startedAt, interval, endsAt, finalState, finalDigest, endedAt, fault, raidID,
            clock, head, headDigest, stoppedFor, requires, positions, moments, inputs, digests, outagePositions,
            outageMoments, outages
        ) = try row.decode(
            AdventureID.self,
            PartyID.self,
            String.self,
            PostgresTimestamp.self,
            Int64.self,
            PostgresTimestamp.self,
            String?.self,
            Int64?.self,
            PostgresTimestamp?.self,
            String?.self,
            RaidID?.self,
            PostgresTimestamp.self,
            Int64.self,
            Int64.self,
            Int64.self,
            Int16.self,
            [Int64]?.self,
            [PostgresTimestamp]?.self,
            [String]?.self,
            [Int64?]?.self,
            [Int64]?.self,
            [PostgresTimestamp]?.self,
            [String]?.self
        )
        guard requires <= version.rawValue else {
            throw StoreError.newerShard(id.shard, requires: Int(requires))
        }
        self.id = id
        self.partyID = partyID
        self.opening = opening
        self.startedAt = Timestamp(startedAt)
        self.interval = .microseconds(interval)
        self.endsAt = Timestamp(endsAt)
        self.finalState = finalState
        self.finalDigest = finalDigest
        self.endedAt = endedAt.map { Timestamp($0) }
        self.fault = fault
        self.raidID = raidID
        self.clock = Timestamp(clock)
        self.head = head
        self.headDigest = LogDigest(value: UInt64(bitPattern: headDigest))
        self.stoppedFor = .microseconds(stoppedFor)
        self.inputs = Self.entries(positions, moments, inputs, digests)
        self.outages = Self.entries(outagePositions, outageMoments, outages, nil)
    }

    /// Returns the row of a raid fight with the decisions about the raid among the inputs.
    /// - Parameter decisions: the decisions that its shard has taken, in order; those after ``head`` are left out.
    /// - Returns: the row.
    func adding(_ decisions: [Entry]) -> Self {
        var row = self
        row.inputs = (inputs + decisions.filter { $0.at >= startedAt && $0.position <= head }).sorted {
            $0.position < $1.position
        }
        return row
    }

    private static func entries(
        _ positions: [Int64]?,
        _ moments: [PostgresTimestamp]?,
        _ bodies: [String]?,
        _ digests: [Int64?]?
    ) -> [Entry] {
        guard let positions, let moments, let bodies else { return [] }
        return positions.indices.map { index in
            Entry(
                position: positions[index],
                at: Timestamp(moments[index]),
                body: bodies[index],
                digest: digests?[index].map { UInt64(bitPattern: $0) }
            )
        }
    }

    /// Returns the adventure as of a moment.
    func played(to moment: Timestamp) throws(StoreError) -> StoredAdventure {
        var events: [StoredEvent] = []
        return try played(to: moment, appendingTo: &events)
    }

    /// Returns the adventure as of a moment, and appends its events to a buffer.
    func played(to moment: Timestamp, appendingTo events: inout [StoredEvent]) throws(StoreError) -> StoredAdventure {
        if let endedAt, !isPlayable {
            guard let finalState else { throw unplayable("it ended without a state") }
            var stored = StoredAdventure(
                id,
                of: partyID,
                startedAt: startedAt,
                ended: try decode(finalState),
                at: endedAt
            )
            // Nothing happens any more, but registrations up to then are known.
            stored.play(to: moment)
            stored.noteRead(through: head, headDigest)
            return stored
        }
        var stored = StoredAdventure(
            id,
            of: partyID,
            starting: try decodeOpening(),
            at: startedAt,
            interval: interval,
            appendingTo: &events
        )
        try play(&stored, by: inputs[...], and: outages[...], to: moment, appendingTo: &events)
        return stored
    }

    /// Plays an adventure by inputs and outages, oldest first, and then up to a moment.
    private func play(
        _ stored: inout StoredAdventure,
        by inputs: ArraySlice<Entry>,
        and outages: ArraySlice<Entry>,
        to moment: Timestamp,
        appendingTo events: inout [StoredEvent]
    ) throws(StoreError) {
        var outages = outages
        for input in inputs {
            while let outage = outages.first, outage.at < input.at {
                try postpone(&stored, by: outage, appendingTo: &events)
                outages.removeFirst()
            }
            guard !input.body.hasPrefix("?") else {
                let kind = input.body.dropFirst()
                throw unplayable("the entry at position \(input.position) is of an unknown kind, '\(kind)'")
            }
            if input.body.hasPrefix("!") {
                try apply(decision: input, to: &stored, appendingTo: &events)
                continue
            }
            let value: AdventureInput
            do { value = try LogCoding.input(input.body) } catch {
                throw unplayable("the input at position \(input.position) cannot be decoded: \(error.reason)")
            }
            try stored.apply(value, at: input.at, digest: input.digest, appendingTo: &events)
        }
        for outage in outages { try postpone(&stored, by: outage, appendingTo: &events) }
        stored.play(to: moment, appendingTo: &events)
        if endedAt != nil { try stored.check(finalDigest.map { UInt64(bitPattern: $0) }) }
        stored.noteRead(through: head, headDigest)
    }

    /// Returns the adventure as of a moment, with what a later reading is compared with.
    func timeline(to moment: Timestamp) throws(StoreError) -> KnownTimeline {
        known(try played(to: moment))
    }

    /// Returns the adventure as of a moment, continued from an earlier reading.
    /// - Returns: nil if its history is not the one that was read, or it was read as of a later moment.
    func timeline(continuing known: KnownTimeline, to moment: Timestamp) throws(StoreError) -> KnownTimeline? {
        var stored = known.stored
        guard isPlayable, opening == known.opening, startedAt == stored.startedAt, interval == stored.interval,
            known.newestInput == nil || inputs.first == known.newestInput, outages.starts(with: known.outages)
        else { return nil }
        let newInputs = inputs.dropFirst(known.newestInput == nil ? 0 : 1)
        let newOutages = outages.dropFirst(known.outages.count)
        // What readers have seen is decided, unless the database lost it.
        let seen = stored.playedUntil
        guard moment >= seen, newInputs.allSatisfy({ $0.at >= seen }), newOutages.allSatisfy({ $0.at >= seen }) else {
            return nil
        }
        var events: [StoredEvent] = []
        try play(&stored, by: newInputs, and: newOutages, to: moment, appendingTo: &events)
        return self.known(stored)
    }

    /// Returns the played adventure with what a later reading is compared with.
    func known(_ stored: StoredAdventure) -> KnownTimeline {
        KnownTimeline(
            stored: stored,
            endsAt: endsAt,
            stoppedFor: stoppedFor,
            isClosed: endedAt != nil,
            hasFault: fault != nil,
            opening: opening,
            newestInput: inputs.last,
            outages: outages
        )
    }

    /// Whether its events can be derived: it was played to its end if it has one.
    var isPlayable: Bool { endedAt == nil || finalDigest != nil }

    /// Returns the adventure as an operator ended it at a moment, without its ticks and inputs.
    func abandoned(at moment: Timestamp) throws -> StoredAdventure {
        var adventure = try decodeOpening()
        for input in [AdventureInput.start, .end] { _ = try adventure.advance(input) }
        return StoredAdventure(id, of: partyID, startedAt: startedAt, ended: adventure, at: moment)
    }

    /// Decodes the opening.
    ///
    /// The limits of start and interval keep the moments of all ticks within the range of timestamps.
    private func decodeOpening() throws(StoreError) -> Adventure {
        let opening = try decode(opening)
        guard opening.status == .ready, opening.tick == 0, opening.sequence == 0 else {
            throw unplayable("its opening has been played")
        }
        guard interval > .zero, interval <= .seconds(86_400 * 366) else {
            throw unplayable("its interval, \(interval), is out of range")
        }
        guard startedAt < Self.latestStart else { throw unplayable("its start, \(startedAt.rfc3339), is out of range") }
        return opening
    }

    /// The year 7000: a thousand ticks of 366 days after it, and a century of outages, `adventures.ends_at` is in range.
    private static let latestStart = Timestamp(epochSeconds: 158_731_488_000)

    private func postpone(
        _ stored: inout StoredAdventure,
        by outage: Entry,
        appendingTo events: inout [StoredEvent]
    ) throws(StoreError) {
        guard let duration = LogCoding.outage(outage.body) else {
            throw unplayable("'\(outage.body)' is no duration of an outage")
        }
        stored.postpone(by: duration, at: outage.at, appendingTo: &events)
    }

    private func apply(
        decision entry: Entry,
        to stored: inout StoredAdventure,
        appendingTo events: inout [StoredEvent]
    ) throws(StoreError) {
        if let known = entry.decision {
            try stored.apply(known.decision, of: known.raidID, at: entry.at, appendingTo: &events)
            return
        }
        let (raidID, decision): (RaidID, RaidDecision)
        do { (raidID, decision) = try LogCoding.raid(String(entry.body.dropFirst())) } catch {
            throw unplayable("the decision at position \(entry.position) cannot be decoded: \(error.reason)")
        }
        try stored.apply(decision, of: raidID, at: entry.at, appendingTo: &events)
    }

    private func decode(_ state: String) throws(StoreError) -> Adventure {
        do {
            return try Adventure(encoded: state)
        } catch {
            throw unplayable(error.reason)
        }
    }

    private func unplayable(_ reason: String) -> StoreError {
        .undecodable(table: "adventures", id: id.description, reason: reason)
    }
}

extension AdventureRow.Entry {
    /// Decodes a row of ``RaidMemberStatements/taken``: a decision about a raid, as an input of its fights.
    ///
    /// With a malformed decision, none of its fights can be played past it.
    init(decision row: PostgresRow) throws {
        let (position, at, body) = try row.decode(Int64.self, PostgresTimestamp.self, String.self)
        self.init(position: position, at: Timestamp(at), body: "!" + body, digest: nil)
        do throws(AdventureDecodingError) {
            let (raidID, decision) = try LogCoding.raid(body)
            self.decision = AdventureRow.RaidDecisionEntry(raidID: raidID, decision: decision)
        } catch {
            // Each fight says so when it is played.
            decision = nil
        }
    }
}
