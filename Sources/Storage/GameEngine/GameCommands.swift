import Encodings
public import GameCore
public import GameStore
public import ServiceRuntime

/// The response to a command, as sent to the client.
public struct EncodedResponse: Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The body, JSON; empty for 204.
    public let body: String
    /// The version of the party or profile in the body; nil if the body contains neither.
    public let partyVersion: Int64?
    /// The party in the body; nil if the body contains no party, and for a replayed response.
    public let partyID: PartyID?
    /// Whether the response is that of an earlier request with the same idempotency key.
    public let isReplayed: Bool
    /// The daily quota that the request has used; nil if it used none.
    public private(set) var quota: QuotaUse?

    /// Creates a response.
    public init(
        status: Int,
        body: String,
        partyVersion: Int64? = nil,
        partyID: PartyID? = nil,
        isReplayed: Bool = false
    ) {
        self.status = status
        self.body = body
        self.partyVersion = partyVersion
        self.partyID = partyID
        self.isReplayed = isReplayed
    }
}

extension EncodedResponse {
    /// Returns the response with the version of the profile in its body.
    public func with(version: Int64) -> Self {
        Self(status: status, body: body, partyVersion: version, partyID: partyID, isReplayed: isReplayed)
    }

    /// Returns the response of a request that used one of a quota.
    func with(_ quota: QuotaUse) -> Self {
        var response = self
        response.quota = quota
        return response
    }

    /// Creates a response from its idempotency record.
    /// - Throws: ``CommandError/keyReused`` if the record belongs to another request.
    fileprivate init(_ record: IdempotencyRecord, to request: IdempotentRequest) throws(CommandError) {
        guard record.requestHash == request.hash else { throw .keyReused }
        self.init(status: record.status, body: record.body, partyVersion: record.partyVersion, isReplayed: true)
    }
}

/// A request with an idempotency key: repeating the same request returns the same response.
public struct IdempotentRequest: Sendable, Hashable {
    /// The key, chosen by the client.
    public let key: String
    /// SHA-256 of method, path, query and body.
    public let hash: [UInt8]

    /// Creates a request.
    public init(key: String, hash: [UInt8]) {
        self.key = key
        self.hash = hash
    }
}

/// The commands of players and operators, each in one transaction under its shard's lock.
///
/// A command reads the state concerned, applies the rules of `GameCore`, and records the effects together with the
/// response. Commands that change a party accept the versions of it that the caller expects (`at:`). Methods throw
/// ``CommandError`` if the rules refuse, and the store's errors.
public struct GameCommands: Sendable {
    /// How long an idempotency record is kept: long enough for a device that was offline overnight.
    public static let idempotencyRecordLifetime = Duration.seconds(24 * 60 * 60)

    /// The number of idempotency records that a player, or an operator, keeps in a shard while writing without end: far more
    /// writes than a person makes in a day, each with the largest part of a day left to repeat it.
    public static let maxIdempotencyRecords = 3_600

    /// The maximum number of parties per player: more than a person plays in, few enough for one page and one erasure.
    public static let maxParties = 20

    /// An upper bound for the duration of a request, including waits for a connection and for locks.
    static let maxRequestDuration = Duration.seconds(120)

    let store: GameStore
    let settings: GameSettings
    let quotas: Quotas
    let runtime: Runtime
    let wakeSignal: WakeSignal
    let metrics: CommandMetrics

    /// Creates the commands on a store.
    /// - Parameters:
    ///   - store: the store.
    ///   - settings: the speed of the game.
    ///   - quotas: how much a player may create in a day; by default without limits.
    ///   - runtime: clock and randomness.
    ///   - wakeSignal: notified after every commit that appended to a log.
    ///   - metrics: the metrics of commands. Several instances may share them.
    public init(
        store: GameStore,
        settings: GameSettings,
        quotas: Quotas = Quotas(),
        runtime: Runtime,
        wakeSignal: WakeSignal,
        metrics: CommandMetrics = CommandMetrics()
    ) {
        self.store = store
        self.settings = settings
        self.quotas = quotas
        self.runtime = runtime
        self.wakeSignal = wakeSignal
        self.metrics = metrics
    }

    /// Runs a player's change and stores its response, or returns the stored response.
    func withIdempotency(
        _ request: IdempotentRequest?,
        of playerID: PlayerID,
        in shard: Shard,
        _ change: (inout ShardTransaction) async throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        try await withIdempotency(request, of: .player(playerID), in: shard, change)
    }

    /// Runs a change and stores its response, or returns the stored response.
    func withIdempotency(
        _ request: IdempotentRequest?,
        of owner: IdempotencyKeyOwner,
        in shard: Shard,
        _ change: (inout ShardTransaction) async throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        let response = try await store.withShard(shard) { transaction in
            guard let request else { return try await change(&transaction) }
            let record = try await transaction.idempotencyRecord(
                for: request.key,
                of: owner,
                livingFor: Self.idempotencyRecordLifetime
            )
            if let record { return try EncodedResponse(record, to: request) }
            let response = try await change(&transaction)
            transaction.store(
                IdempotencyRecord(
                    requestHash: request.hash,
                    status: response.status,
                    body: response.body,
                    partyVersion: response.partyVersion
                ),
                showing: response.partyID,
                for: request.key,
                of: owner
            )
            return response
        }
        wakeSignal.notify()
        return response
    }

    /// Returns the stored response; nil if there is none.
    ///
    /// Call it before work that precedes the shard's lock and is unnecessary for a repeated request.
    func storedResponse(to request: IdempotentRequest?, of playerID: PlayerID, in shard: Shard) async throws
        -> EncodedResponse?
    {
        try await storedResponse(to: request, of: .player(playerID), in: shard)
    }

    /// Returns the stored response; nil if there is none.
    func storedResponse(to request: IdempotentRequest?, of owner: IdempotencyKeyOwner, in shard: Shard) async throws
        -> EncodedResponse?
    {
        guard let request else { return nil }
        let record = try await store.idempotencyRecord(
            for: request.key,
            of: owner,
            in: shard,
            livingFor: Self.idempotencyRecordLifetime
        )
        return try record.map { try EncodedResponse($0, to: request) }
    }

    /// Returns the stored response to a request whose invite code leads to no party any more; nil if there is none.
    ///
    /// The code was valid when the request was sent first. Which party it led to is not known any more.
    /// - Parameters:
    ///   - request: the request.
    ///   - owner: the player or operator.
    ///   - shards: the shards that may have the response.
    /// - Returns: the response; nil if there is none.
    /// - Throws: errors of the store.
    public func storedResponse(
        to request: IdempotentRequest?,
        of owner: IdempotencyKeyOwner,
        among shards: some Sequence<Shard>
    ) async throws -> EncodedResponse? {
        guard let request else { return nil }
        let record = try await store.idempotencyRecord(
            for: request.key,
            requestHash: request.hash,
            of: owner,
            among: Set(shards).sorted(),
            livingFor: Self.idempotencyRecordLifetime
        )
        return try record.map { try EncodedResponse($0, to: request) }
    }

    /// Changes a party according to its rules, if its version is one that the caller expects.
    ///
    /// The rules are checked first, and a request that changes nothing needs no matching version: a refused or already
    /// fulfilled request is reported as such (RFC 9110, sections 13.1.1 and 13.2.1).
    /// - Parameters:
    ///   - party: the current party.
    ///   - versions: the expected versions; nil accepts any.
    ///   - rule: the closure that changes the party.
    /// - Returns: the result of `rule`.
    /// - Throws: ``CommandError/party(_:)`` or ``CommandError/partyChanged(version:)``.
    func change<Result>(
        _ party: inout Party,
        at versions: Set<Int64>?,
        by rule: (inout Party) throws(PartyRefusal) -> Result
    ) throws(CommandError) -> Result {
        let version = party.version
        let result: Result
        do { result = try rule(&party) } catch { throw .party(error) }
        if let versions, party.version != version, !versions.contains(version) { throw .partyChanged(version: version) }
        return result
    }
}
