public import GameCore
public import GameStore

/// The answer to a write, as it goes over the wire.
public struct Answer: Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The body, JSON; empty for 204.
    public let body: String

    /// A status and a body.
    public init(status: Int, body: String) {
        self.status = status
        self.body = body
    }
}

/// A write that may be sent again: the same key with the same request gets the same answer.
public struct RepeatableRequest: Sendable, Hashable {
    /// Chosen by the client.
    public let key: String
    /// SHA-256 of method, path and body.
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
/// answer. Methods throw ``CommandError`` when the rules refuse, and the store's errors.
public struct GameCommands: Sendable {
    let store: GameStore
    let settings: GameSettings
    let surroundings: Surroundings
    let news: Doorbell
    let schedule: JourneySchedule

    /// Commands on a store.
    /// - Parameters:
    ///   - store: where everything is.
    ///   - settings: the game's speed.
    ///   - surroundings: clock and randomness.
    ///   - news: rung after every commit that wrote to a log.
    public init(store: GameStore, settings: GameSettings, surroundings: Surroundings, news: Doorbell) {
        self.store = store
        self.settings = settings
        self.surroundings = surroundings
        self.news = news
        schedule = JourneySchedule(interval: settings.journeyTick)
    }

    /// Runs a change and keeps its answer, or gives the answer that was kept.
    func once(
        _ request: RepeatableRequest?,
        of playerID: PlayerID,
        in shard: Shard,
        _ change: (inout ShardTransaction) async throws -> Answer
    ) async throws -> Answer {
        let answer = try await store.withShard(shard, at: surroundings.now()) { transaction in
            guard let request else { return try await change(&transaction) }
            if let kept = try await transaction.answer(to: request.key, of: playerID) {
                guard kept.requestHash == request.hash else { throw CommandError.keyReused }
                return Answer(status: kept.status, body: kept.body)
            }
            let answer = try await change(&transaction)
            transaction.keep(
                KeptAnswer(requestHash: request.hash, status: answer.status, body: answer.body),
                to: request.key,
                of: playerID
            )
            return answer
        }
        news.ring()
        return answer
    }

    /// Turns a refusal of the party's rules into the command's.
    func judgedByParty<Result>(_ rule: () throws(PartyRefusal) -> Result) throws(CommandError) -> Result {
        do { return try rule() } catch { throw .party(error) }
    }

    /// Turns a refusal of the adventure's rules into the command's.
    func judgedByGame<Result>(_ rule: () throws(Refusal) -> Result) throws(CommandError) -> Result {
        do { return try rule() } catch { throw .adventure(error) }
    }
}
