public import GameCore
public import GameLog
public import GameStore
import ServiceRuntime

/// An operator's change of the game.
public enum OperatorAction: Sendable, Hashable {
    /// Starts a boss fight for an idle party.
    case bossFight(PartyID, BossID)
    /// Ends a running adventure.
    case end(AdventureID)
    /// Disbands a party after ending its adventure.
    case disband(PartyID)
    /// Gives a player another name, between adventures.
    case rename(PlayerID, Name, reason: String)
    /// Revokes all tokens of a player.
    case signOut(PlayerID, reason: String)
    /// Erases a player.
    case erase(PlayerID, reason: String)

    static let startBossFight = "startBossFight"

    /// The command's label in metrics.
    var command: String {
        switch self {
        case .bossFight: Self.startBossFight
        case .end: "end"
        case .disband: "disband"
        case .rename: "renamePlayer"
        case .signOut: "signOutPlayer"
        case .erase: "erasePlayer"
        }
    }

    var shard: Shard {
        switch self {
        case .bossFight(let id, _), .disband(let id): id.shard
        case .end(let id): id.shard
        case .rename(let id, _, _), .signOut(let id, _), .erase(let id, _): id.shard
        }
    }
}

/// The result of an operator's action.
public struct OperatorOutcome: Sendable {
    /// The adventure that was started or ended; nil if there is none, or if nothing of it can be decoded.
    public let adventure: StoredAdventure?
    /// The events of the adventure.
    public let events: [StoredEvent]
    /// The changes recorded in the audit log.
    public let auditChanges: [AuditChange]
}

/// The result of an operator's action in a dry run.
public struct DryRun: Sendable {
    /// The outcome.
    ///
    /// If the action is carried out, a new adventure gets another identifier.
    public let outcome: OperatorOutcome
    /// The number of live activities that show the adventure and to whose environment a running dispatcher sends.
    public let activities: Int
    /// The number of members with a device on which a running dispatcher could start an activity.
    public let startableActivities: Int
}

extension GameCommands {
    /// Starts a boss fight for a party.
    public func startBossFight(
        of id: PartyID,
        against boss: BossID,
        by author: AuditAuthor
    ) async throws -> StoredAdventure {
        guard let stored = try await perform(.bossFight(id, boss), by: author).adventure else {
            preconditionFailure("starting a boss fight returns its adventure")
        }
        return stored
    }

    /// Ends a running adventure.
    /// - Throws: as ``perform(_:by:)``; ``StoreError/undecodable(table:id:reason:)`` if nothing of it can be decoded: it has
    ///   ended nevertheless.
    public func end(_ id: AdventureID, by author: AuditAuthor) async throws -> StoredAdventure {
        guard let stored = try await perform(.end(id), by: author).adventure else {
            throw StoreError.undecodable(
                table: "adventures",
                id: id.description,
                reason: "it was ended without a state"
            )
        }
        return stored
    }

    /// Disbands a party.
    ///
    /// Its adventure is ended first, so that its activities receive their end.
    public func disband(_ id: PartyID, by author: AuditAuthor) async throws {
        _ = try await perform(.disband(id), by: author)
    }

    /// Performs an operator's action and records it in the audit log.
    public func perform(_ action: OperatorAction, by author: AuditAuthor) async throws -> OperatorOutcome {
        let outcome = try await metrics.counting(action.command) {
            try await checkConditions(of: action)
            let outcome = try await store.withShard(action.shard) { transaction in
                try await perform(action, by: author, in: &transaction)
            }
            try await complete(action)
            return outcome
        }
        wakeSignal.notify()
        return outcome
    }

    /// Performs an operator's action once per idempotency key and stores the response.
    public func perform(
        _ action: OperatorAction,
        by author: AuditAuthor,
        request: IdempotentRequest?,
        render: @Sendable (OperatorOutcome) throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        try await metrics.counting(action.command) {
            let owner = IdempotencyKeyOwner.operator(named: author.name)
            if action.hasConditions {
                if let response = try await storedResponse(to: request, of: owner, in: action.shard) { return response }
                try await checkConditions(of: action)
            }
            let response = try await withIdempotency(request, of: owner, in: action.shard) { transaction in
                try render(try await perform(action, by: author, in: &transaction))
            }
            // For a stored response, too: what follows may have been interrupted.
            try await complete(action)
            return response
        }
    }

    /// Decides the result of ``perform(_:by:)`` with the same code, without changing anything.
    public func dryRun(_ action: OperatorAction, by author: AuditAuthor) async throws -> DryRun {
        try await checkConditions(of: action)
        let (outcome, members) = try await store.dryRun(in: action.shard) { transaction in
            let outcome = try await perform(action, by: author, in: &transaction)
            return (outcome, outcome.adventure?.adventure.heroes.map(\.playerID) ?? [])
        }
        var live: [PushEnvironment] = []
        if let adventure = outcome.adventure {
            live = try await store.activities(of: adventure.id).filter { $0.state == .live }.map(\.environment)
        }
        var startable: [PushEnvironment] = []
        if case .bossFight = action {
            startable = try await store.startableDevices(of: members).map(\.environment)
        }
        let served = try await servedEnvironments(among: Set(live + startable))
        return DryRun(
            outcome: outcome,
            activities: live.count { served.contains($0) },
            startableActivities: startable.count { served.contains($0) }
        )
    }

    /// Returns the environments to which a running dispatcher sends.
    private func servedEnvironments(among environments: Set<PushEnvironment>) async throws -> Set<PushEnvironment> {
        var served: Set<PushEnvironment> = []
        for environment in environments {
            if try await store.dispatcherSends(to: environment) { served.insert(environment) }
        }
        return served
    }

    private func perform(
        _ action: OperatorAction,
        by author: AuditAuthor,
        in transaction: inout ShardTransaction
    ) async throws -> OperatorOutcome {
        let adventure: StoredAdventure?
        let events: [StoredEvent]
        switch action {
        case .bossFight(let id, let boss):
            (adventure, events) = try await startBossFight(of: id, against: boss, by: author, in: &transaction)
        case .end(let id):
            (adventure, events) = try await end(id, by: author, in: &transaction)
        case .disband(let id):
            (adventure, events) = try await disband(id, by: author, in: &transaction)
        case .rename(let id, let name, let reason):
            try await rename(id, to: name, reason: reason, by: author, in: &transaction)
            (adventure, events) = (nil, [])
        case .signOut(let id, let reason):
            try await signOut(id, reason: reason, by: author, in: &transaction)
            (adventure, events) = (nil, [])
        case .erase(let id, let reason):
            try await erase(id, reason: reason, by: author, in: &transaction)
            (adventure, events) = (nil, [])
        }
        return OperatorOutcome(adventure: adventure, events: events, auditChanges: transaction.recordedAuditChanges)
    }

    /// Starts a boss fight for an idle party, in an existing transaction.
    func startBossFight(
        of id: PartyID,
        against boss: BossID,
        by author: AuditAuthor,
        in transaction: inout ShardTransaction
    ) async throws -> (StoredAdventure, [StoredEvent]) {
        guard let party = try await transaction.party(id) else { throw CommandError.unknownParty }
        let (stored, events) = try await startAdventure(of: party, by: nil, at: nil, in: &transaction) { heroes, seed in
            Adventure.bossFight(against: boss, heroes: heroes, seed: seed, rules: store.newAdventures)
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
    ) async throws -> (StoredAdventure?, [StoredEvent]) {
        let ended: (partyID: PartyID, adventure: StoredAdventure?)?
        var before = ["status": "running"]
        var events: [StoredEvent] = []
        do {
            guard var running = try await transaction.adventure(id) else { throw CommandError.unknownAdventure }
            before["tick"] = "\(running.adventure.tick)"
            events = try await apply(.end, to: &running, in: &transaction)
            ended = (running.partyID, running)
        } catch StoreError.undecodable(_, _, let reason) {
            before["fault"] = reason
            ended = try await transaction.abandon(id)
        }
        // Only an adventure that has ended already, without a state, is found and not ended now.
        guard let (partyID, stored) = ended else { throw CommandError.adventure(.adventureOver) }
        before["partyID"] = "\(partyID)"
        var after = ["status": "ended"]
        after["outcome"] = (stored?.adventure.outcome ?? .endedByOperator).rawValue
        transaction.audit(
            AuditChange(
                .adventureEnd,
                of: "adventure/\(id)",
                before: before,
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
            // It may have ended, and the end not be recorded yet.
            do {
                (adventure, events) = try await end(adventureID, by: author, in: &transaction)
            } catch CommandError.adventure(.adventureOver) {}
        }
        guard var party = try await transaction.party(id) else { throw CommandError.unknownParty }
        try change(&party, at: nil) { party throws(PartyRefusal) in try party.disband() }
        transaction.update(party, changingMembers: true)
        var facts = [
            "leaderID": "\(before.leaderID)", "members": before.members.map { "\($0.playerID)" }.joined(separator: " "),
        ]
        facts["adventureID"] = before.adventureID?.description
        transaction.audit(AuditChange(.partyDisband, of: "party/\(id)", before: facts, by: author))
        return (adventure, events)
    }
}
