import Encodings
import GameCore
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
    let detailsRemovedAt: Timestamp?
    let fault: String?
    let clock: Timestamp
    let head: Int64
    let inputs: Entries
    let outages: Entries

    /// Log entries, column by column.
    struct Entries {
        var moments: [PostgresTimestamp]
        var bodies: [String]
        var digests: [Int64?]
    }

    init(_ row: PostgresRow) throws {
        let (
            id, partyID, opening, startedAt, interval, endsAt, finalState, finalDigest, endedAt, detailsRemovedAt,
            fault,
            clock, head, requires, inputMoments, inputs, digests, outageMoments, outages
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
            PostgresTimestamp?.self,
            String?.self,
            PostgresTimestamp.self,
            Int64.self,
            Int16.self,
            [PostgresTimestamp]?.self,
            [String]?.self,
            [Int64?]?.self,
            [PostgresTimestamp]?.self,
            [String]?.self
        )
        guard requires <= ShardHead.supportedVersion else {
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
        self.detailsRemovedAt = detailsRemovedAt.map { Timestamp($0) }
        self.fault = fault
        self.clock = Timestamp(clock)
        self.head = head
        self.inputs = Entries(moments: inputMoments ?? [], bodies: inputs ?? [], digests: digests ?? [])
        self.outages = Entries(moments: outageMoments ?? [], bodies: outages ?? [], digests: [])
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
            stored.detailsRemovedAt = detailsRemovedAt
            stored.noteRead(through: head)
            return stored
        }
        let opening = try decodeOpening()
        var stored = StoredAdventure(
            id,
            of: partyID,
            starting: opening,
            at: startedAt,
            interval: interval,
            appendingTo: &events
        )
        var outage = 0
        for input in inputs.bodies.indices {
            let at = Timestamp(inputs.moments[input])
            while outage < outages.bodies.count, Timestamp(outages.moments[outage]) < at {
                try postpone(&stored, by: outage, appendingTo: &events)
                outage += 1
            }
            let value: AdventureInput
            do { value = try LogCoding.input(inputs.bodies[input]) } catch {
                throw unplayable("input \(input + 1) cannot be decoded: \(error.reason)")
            }
            let digest = inputs.digests[input].map { UInt64(bitPattern: $0) }
            try stored.apply(value, at: at, digest: digest, appendingTo: &events)
        }
        while outage < outages.bodies.count {
            try postpone(&stored, by: outage, appendingTo: &events)
            outage += 1
        }
        stored.play(to: moment, appendingTo: &events)
        if endedAt != nil { try stored.check(finalDigest.map { UInt64(bitPattern: $0) }) }
        stored.noteRead(through: head)
        return stored
    }

    /// Whether its events can be derived: its inputs are stored, and it was played to its end if it has one.
    var isPlayable: Bool { detailsRemovedAt == nil && (endedAt == nil || finalDigest != nil) }

    /// Returns the adventure as an operator ended it at a moment, without its ticks and inputs.
    func abandoned(at moment: Timestamp) throws -> StoredAdventure {
        var adventure = try decodeOpening()
        for input in [AdventureInput.start, .end] { _ = try adventure.advance(input) }
        return StoredAdventure(id, of: partyID, startedAt: startedAt, ended: adventure, at: moment)
    }

    /// Decodes the opening.
    ///
    /// The limit of the interval keeps the moments of all ticks within the range of timestamps.
    private func decodeOpening() throws(StoreError) -> Adventure {
        let opening = try decode(opening)
        guard opening.status == .ready, opening.tick == 0, opening.sequence == 0 else {
            throw unplayable("its opening has been played")
        }
        guard interval > .zero, interval <= .seconds(86_400 * 366) else {
            throw unplayable("its interval, \(interval), is out of range")
        }
        return opening
    }

    private func postpone(
        _ stored: inout StoredAdventure,
        by outage: Int,
        appendingTo events: inout [StoredEvent]
    ) throws(StoreError) {
        guard let duration = LogCoding.outage(outages.bodies[outage]) else {
            throw unplayable("'\(outages.bodies[outage])' is no duration of an outage")
        }
        stored.postpone(by: duration, at: Timestamp(outages.moments[outage]), appendingTo: &events)
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
