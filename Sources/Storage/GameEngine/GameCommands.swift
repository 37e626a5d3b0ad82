import Encodings
import GameCore
public import GameStore
public import ServiceRuntime

/// The answer to a write, as it goes over the wire.
public struct Answer: Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The body, JSON; empty for 204.
    public let body: String
    /// The version of the party that the body shows; nil when it shows none.
    public let partyVersion: Int64?

    /// A status and a body.
    public init(status: Int, body: String, partyVersion: Int64? = nil) {
        self.status = status
        self.body = body
        self.partyVersion = partyVersion
    }
}

extension Answer {
    /// The answer that was kept.
    /// - Throws: ``CommandError/keyReused`` when it was kept for another request.
    fileprivate init(_ kept: KeptAnswer, to request: RepeatableRequest) throws(CommandError) {
        guard kept.requestHash == request.hash else { throw .keyReused }
        self.init(status: kept.status, body: kept.body, partyVersion: kept.partyVersion)
    }
}

/// A write that may be sent again: the same key with the same request gets the same answer.
public struct RepeatableRequest: Sendable, Hashable {
    /// Chosen by the client.
    public let key: String
    /// SHA-256 of method, path, query and body.
    public let hash: [UInt8]

    /// A request with its key.
    public init(key: String, hash: [UInt8]) {
        self.key = key
        self.hash = hash
    }
}

/// What players and operators ask for, each command in one transaction under its shard's lock.
///
/// A command reads what it concerns, lets the rules in `GameCore` judge it, and records the outcome together with the
/// answer. What changes a party may say which versions of it are expected (`at:`). Methods throw ``CommandError`` when the rules refuse, and the store's errors.
public struct GameCommands: Sendable {
    /// How long the answer to a request with a key is kept: a phone that was off over night still gets it.
    public static let answersAreKept = Duration.seconds(24 * 60 * 60)

    /// In how many parties a player can be at once: more than anybody plays in, few enough for one page and one erasure.
    public static let mostParties = 20

    /// Longer than any request takes, the waits for a connection and for locks included.
    static let longestRequest = Duration.seconds(120)

    let store: GameStore
    let settings: GameSettings
    let runtime: Runtime
    let wakeSignal: WakeSignal
    let metrics: CommandMetrics
    let schedule: JourneySchedule

    /// Commands on a store.
    /// - Parameters:
    ///   - store: where everything is.
    ///   - settings: the game's speed.
    ///   - runtime: clock and randomness.
    ///   - wakeSignal: rung after every commit that wrote to a log.
    ///   - metrics: what is counted; several of a process may share them.
    public init(
        store: GameStore,
        settings: GameSettings,
        runtime: Runtime,
        wakeSignal: WakeSignal,
        metrics: CommandMetrics = CommandMetrics()
    ) {
        self.store = store
        self.settings = settings
        self.runtime = runtime
        self.wakeSignal = wakeSignal
        self.metrics = metrics
        schedule = JourneySchedule(interval: settings.journeyTick)
    }

    /// Runs a player's change and keeps its answer, or gives the answer that was kept.
    func once(
        _ request: RepeatableRequest?,
        of playerID: PlayerID,
        in shard: Shard,
        _ change: (inout ShardTransaction) async throws -> Answer
    ) async throws -> Answer {
        try await once(request, of: .player(playerID), in: shard, change)
    }

    /// Runs a change and keeps its answer, or gives the answer that was kept.
    func once(
        _ request: RepeatableRequest?,
        of holder: KeyHolder,
        in shard: Shard,
        _ change: (inout ShardTransaction) async throws -> Answer
    ) async throws -> Answer {
        let answer = try await store.withShard(shard, at: runtime.now()) { transaction in
            guard let request else { return try await change(&transaction) }
            let start = transaction.now - Self.answersAreKept
            if let kept = try await transaction.answer(to: request.key, of: holder, after: start) {
                return try Answer(kept, to: request)
            }
            let answer = try await change(&transaction)
            transaction.keep(
                KeptAnswer(
                    requestHash: request.hash,
                    status: answer.status,
                    body: answer.body,
                    partyVersion: answer.partyVersion
                ),
                to: request.key,
                of: holder
            )
            return answer
        }
        wakeSignal.notify()
        return answer
    }

    /// The answer that was kept, nil when there is none yet: for what must be done before the shard is locked, and
    /// would be in vain for a request that was answered.
    func keptAnswer(to request: RepeatableRequest?, of playerID: PlayerID, in shard: Shard) async throws -> Answer? {
        guard let request else { return nil }
        let start = runtime.now() - Self.answersAreKept
        let kept = try await store.answer(to: request.key, of: .player(playerID), in: shard, after: start)
        return try kept.map { try Answer($0, to: request) }
    }

    /// Changes a party as its rules allow, if it is at a version that the caller expects.
    ///
    /// The rules come first, and what changes nothing needs no version: a caller who is refused anyway, or whose wish is
    /// fulfilled already, hears that (RFC 9110, sections 13.1.1 and 13.2.1).
    /// - Parameters:
    ///   - party: as it is now.
    ///   - versions: what the caller expects; nil for whatever there is.
    ///   - rule: changes it.
    /// - Returns: what the rule returns.
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

    /// Turns a refusal of the adventure's rules into the command's.
    func judgedByGame<Result>(_ rule: () throws(Refusal) -> Result) throws(CommandError) -> Result {
        do { return try rule() } catch { throw .adventure(error) }
    }
}
