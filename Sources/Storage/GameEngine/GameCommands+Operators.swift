public import GameCore
public import GameStore
import ServiceRuntime

/// What an operator can ask for that changes the game.
public enum OperatorWish: Sendable, Hashable {
    /// To set a boss on an idle party.
    case bossFight(PartyID, BossID)
    /// To end a running adventure.
    case end(AdventureID)
    /// To disband a party, and to end its adventure first.
    case disband(PartyID)

    static let startBossFight = "startBossFight"

    /// The word by which metrics count it.
    var command: String {
        switch self {
        case .bossFight: Self.startBossFight
        case .end: "end"
        case .disband: "disband"
        }
    }

    var shard: Shard {
        switch self {
        case .bossFight(let id, _), .disband(let id): id.shard
        case .end(let id): id.shard
        }
    }
}

/// What an operator's wish comes to.
public struct OperatorOutcome: Sendable {
    /// The adventure that was started or ended, nil when there is none.
    public let adventure: StoredAdventure?
    /// What happened in it, for the log.
    public let events: [StoredEvent]
    /// What the audit log holds of it.
    public let audited: [AuditChange]
}

/// What an operator's wish would come to.
public struct Rehearsal: Sendable {
    /// As it would be; an identifier of a new adventure would be another one.
    public let outcome: OperatorOutcome
    /// How many Live Activities follow the adventure: phones that would be told.
    public let activities: Int
    /// How many members have a phone on which a card could be started.
    public let startableCards: Int
}

extension GameCommands {
    /// Sets a boss on a party.
    public func startBossFight(
        of id: PartyID,
        against boss: BossID,
        by author: AuditAuthor
    ) async throws -> StoredAdventure {
        guard let stored = try await carryOut(.bossFight(id, boss), by: author).adventure else {
            preconditionFailure("a boss fight that has started is an adventure")
        }
        return stored
    }

    /// Ends a running adventure.
    public func end(_ id: AdventureID, by author: AuditAuthor) async throws -> StoredAdventure {
        guard let stored = try await carryOut(.end(id), by: author).adventure else {
            preconditionFailure("what was ended is an adventure")
        }
        return stored
    }

    /// Disbands a party: its adventure is ended first, so that phones get their end, and nobody is a member any more.
    public func disband(_ id: PartyID, by author: AuditAuthor) async throws {
        _ = try await carryOut(.disband(id), by: author)
    }

    /// Does what an operator wishes, and records it in the audit log.
    public func carryOut(_ wish: OperatorWish, by author: AuditAuthor) async throws -> OperatorOutcome {
        let outcome = try await metrics.counting(wish.command) {
            try await store.withShard(wish.shard, at: runtime.now()) { transaction in
                try await carryOut(wish, by: author, in: &transaction)
            }
        }
        wakeSignal.notify()
        return outcome
    }

    /// Does what an operator wishes once, however often it is asked for with the same key, and keeps the answer.
    public func carryOut(
        _ wish: OperatorWish,
        by author: AuditAuthor,
        request: RepeatableRequest?,
        answering render: @Sendable (OperatorOutcome) throws -> Answer
    ) async throws -> Answer {
        try await metrics.counting(wish.command) {
            try await once(request, of: .operator(named: author.name), in: wish.shard) { transaction in
                try render(try await carryOut(wish, by: author, in: &transaction))
            }
        }
    }

    /// Decides what ``carryOut(_:by:)`` would do, by the same code, and changes nothing.
    public func rehearse(_ wish: OperatorWish, by author: AuditAuthor) async throws -> Rehearsal {
        let (outcome, members) = try await store.rehearse(in: wish.shard, at: runtime.now()) { transaction in
            let outcome = try await carryOut(wish, by: author, in: &transaction)
            return (outcome, outcome.adventure?.adventure.heroes.map(\.playerID) ?? [])
        }
        var activities = 0
        if let adventure = outcome.adventure {
            activities = try await store.activities(of: adventure.id).count { $0.state == .live }
        }
        var cards = 0
        if case .bossFight = wish {
            cards = try await store.pushToStartRecords(of: members).count
        }
        return Rehearsal(outcome: outcome, activities: activities, startableCards: cards)
    }

    private func carryOut(
        _ wish: OperatorWish,
        by author: AuditAuthor,
        in transaction: inout ShardTransaction
    ) async throws -> OperatorOutcome {
        let adventure: StoredAdventure?
        let events: [StoredEvent]
        switch wish {
        case .bossFight(let id, let boss):
            (adventure, events) = try await startBossFight(of: id, against: boss, by: author, in: &transaction)
        case .end(let id):
            (adventure, events) = try await end(id, by: author, in: &transaction)
        case .disband(let id):
            (adventure, events) = try await disband(id, by: author, in: &transaction)
        }
        return OperatorOutcome(adventure: adventure, events: events, audited: transaction.audited)
    }

    /// Sets a boss on an idle party, in a transaction that may do more.
    func startBossFight(
        of id: PartyID,
        against boss: BossID,
        by author: AuditAuthor,
        in transaction: inout ShardTransaction
    ) async throws -> (StoredAdventure, [StoredEvent]) {
        guard let party = try await transaction.party(id) else { throw CommandError.unknownParty }
        let (stored, events) = try setOut(party, by: nil, at: nil, in: &transaction) { heroes, seed in
            Adventure.bossFight(against: boss, heroes: heroes, seed: seed)
        }
        transaction.audit(
            AuditChange(
                .bossStart,
                of: "party/\(id)",
                after: [
                    "adventureID": "\(stored.id)", "boss": boss.rawValue, "heroes": "\(stored.adventure.heroes.count)",
                ],
                by: author
            )
        )
        return (stored, events)
    }

    private func end(
        _ id: AdventureID,
        by author: AuditAuthor,
        in transaction: inout ShardTransaction
    ) async throws -> (StoredAdventure, [StoredEvent]) {
        guard var stored = try await transaction.adventure(id) else { throw CommandError.unknownAdventure }
        let before = stored.adventure
        let events = try await advance(&stored, .end, in: &transaction)
        var after = ["status": "ended"]
        if case .ended(let outcome) = stored.adventure.status { after["outcome"] = outcome.rawValue }
        transaction.audit(
            AuditChange(
                .adventureEnd,
                of: "adventure/\(id)",
                before: ["partyID": "\(stored.partyID)", "status": "running", "tick": "\(before.tick)"],
                after: after,
                by: author
            )
        )
        return (stored, events)
    }

    private func disband(
        _ id: PartyID,
        by author: AuditAuthor,
        in transaction: inout ShardTransaction
    ) async throws -> (StoredAdventure?, [StoredEvent]) {
        guard let before = try await transaction.party(id) else { throw CommandError.unknownParty }
        var adventure: StoredAdventure?
        var events: [StoredEvent] = []
        if let adventureID = before.adventureID {
            (adventure, events) = try await end(adventureID, by: author, in: &transaction)
        }
        guard var party = try await transaction.party(id) else { throw CommandError.unknownParty }
        try change(&party, at: nil) { party throws(PartyRefusal) in try party.disband() }
        transaction.update(party)
        var facts = [
            "leaderID": "\(before.leaderID)", "members": before.members.map { "\($0.playerID)" }.joined(separator: " "),
        ]
        facts["adventureID"] = before.adventureID?.description
        transaction.audit(AuditChange(.partyDisband, of: "party/\(id)", before: facts, by: author))
        return (adventure, events)
    }
}
