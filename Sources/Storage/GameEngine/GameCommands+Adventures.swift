import Encodings
public import GameCore
public import GameLog
import GameStore
import ServiceRuntime

extension GameCommands {
    /// Starts a journey of a party, on behalf of its leader.
    public func startJourney(
        of id: PartyID,
        in region: RegionID,
        by actor: PlayerID,
        at versions: Set<Int64>? = nil,
        request: IdempotentRequest?,
        render: @Sendable (StoredAdventure) throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        try await metrics.counting("startJourney") {
            try await withQuota(.adventure, of: actor, in: id.shard, request: request) {
                let response = try await withIdempotency(request, of: actor, in: id.shard) { transaction in
                    let party = try await party(id, with: actor, in: transaction)
                    let (stored, _) = try await startAdventure(of: party, by: actor, at: versions, in: &transaction) {
                        heroes,
                        seed in
                        Adventure.journey(in: region, heroes: heroes, seed: seed, rules: store.newAdventures)
                    }
                    return try render(stored)
                }
                return (response, true)
            }
        }
    }

    /// Runs a player's command in a running adventure.
    /// - Parameters:
    ///   - command: the command.
    ///   - id: the adventure.
    ///   - playerID: the caller, who must have a seat in the adventure.
    ///   - request: the idempotency key, if any: the command is applied once, however often it is sent.
    ///   - render: the closure that creates the response from the events of the command and the adventure after it.
    /// - Returns: the response, stored under the request's key.
    /// - Throws: ``CommandError``; errors of the store.
    public func perform(
        _ command: Command,
        in id: AdventureID,
        by playerID: PlayerID,
        request: IdempotentRequest?,
        render: @Sendable ([StoredEvent], StoredAdventure) throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        try await metrics.counting(command.kind.rawValue) {
            try await withIdempotency(request, of: playerID, in: id.shard) { transaction in
                guard
                    var stored = try await transaction.adventure(id),
                    stored.adventure.heroes.contains(where: { $0.playerID == playerID })
                else {
                    throw CommandError.unknownAdventure
                }
                let events = try await apply(.command(command, by: playerID), to: &stored, in: &transaction)
                return try render(events, stored)
            }
        }
    }

    /// Returns the hero that a member brings to an adventure.
    /// - Throws: ``StoreError/newerHero(_:)``.
    func hero(of member: Member) throws(StoreError) -> Hero {
        guard HeroCatalogue[member.hero] != nil else { throw .newerHero(member.hero) }
        return Hero(
            playerID: member.playerID,
            id: member.hero,
            experience: member.experience,
            potions: Hero.openingPotions
        )
    }

    /// Applies an input, and records it with its effects.
    func apply(
        _ input: AdventureInput,
        to stored: inout StoredAdventure,
        in transaction: inout ShardTransaction
    ) async throws -> [StoredEvent] {
        do {
            return try await transaction.apply(input, to: &stored)
        } catch let refusal as AdventureRefusal {
            throw CommandError.adventure(refusal)
        }
    }

    /// Returns the adventure that a party is on; nil if there is none, or if it cannot be played, so that the party's
    /// members are not held up by it.
    func runningAdventure(of party: Party, in transaction: inout ShardTransaction) async throws -> StoredAdventure? {
        guard let id = party.adventureID else { return nil }
        do {
            let stored = try await transaction.adventure(id)
            return stored?.endedAt == nil ? stored : nil
        } catch StoreError.undecodable {
            return nil
        }
    }

    /// Starts an adventure of an idle party.
    func startAdventure(
        of party: Party,
        by actor: PlayerID?,
        at versions: Set<Int64>?,
        in transaction: inout ShardTransaction,
        _ make: (_ heroes: [Hero], _ seed: UInt64) -> Adventure
    ) async throws -> (StoredAdventure, [StoredEvent]) {
        var party = party
        if party.adventureID != nil, try await runningAdventure(of: party, in: &transaction) == nil {
            // Reading an adventure that has ended closes it.
            party = try await transaction.party(party.id) ?? party
        }
        var generator = runtime.generator()
        let id = AdventureID(at: transaction.now, in: party.id.shard, using: &generator)
        try change(&party, at: versions) { party throws(PartyRefusal) in try party.startAdventure(id, by: actor) }
        let opening = make(try party.members.map(hero(of:)), generator.next())
        transaction.update(party)
        return transaction.start(id, of: party.id, with: opening, interval: settings.interval(of: opening.kind))
    }
}
