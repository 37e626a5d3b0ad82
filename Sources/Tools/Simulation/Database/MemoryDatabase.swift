import Encodings
import Foundation
import GameCore
package import PostgresClient

/// PostgreSQL's stand-in: tables in memory, with the transactions that the game counts on.
///
/// A statement sees what was committed before it began (READ COMMITTED). What a transaction changes is applied, all at
/// once, by its COMMIT; until then only the row locks tell of it. Those are taken where the game takes them on purpose:
/// on shards, leases and players. Requests and answers take their time on the way; a connection may break before a
/// request, or after it was carried out.
///
/// Unchecked but true: like its world it is touched on the world's one thread only.
package final class MemoryDatabase: @unchecked Sendable {
    /// How long things take, and how often they go wrong.
    package struct Weather: Sendable {
        /// The time on the way, each way, in milliseconds.
        package var latency = 0...2
        /// How many of a thousand requests or answers are held up for long.
        package var slowInAThousand = 0
        /// For how long, in milliseconds.
        package var slowness = 500...3_000
        /// How many of a thousand requests break the connection, before or after they were carried out.
        package var brokenInAThousand = 0
        /// Whether no connection can be made.
        package var isDown = false
    }

    let world: World
    let defect: Defect?
    private var locks: [RowLock: MemorySession] = [:]
    private var waiting: [RowLock: [(session: MemorySession, goOn: @Sendable () -> Void)]] = [:]
    private var sessions: [Int: MemorySession] = [:]
    private var sessionCount = 0

    /// What is committed.
    package private(set) var tables: Tables
    /// What it is like at the moment.
    package var weather = Weather()
    /// Is told when a connection breaks.
    package var onDisturbance: @Sendable () -> Void = {}

    /// An empty, migrated database.
    /// - Parameters:
    ///   - world: whose time it takes.
    ///   - shards: the shards that there are.
    ///   - defect: what is wrong with it on purpose.
    package init(in world: World, shards: [Int16], defect: Defect? = nil) {
        self.world = world
        self.defect = defect
        self.tables = Tables(shards: shards)
    }

    /// The way to it from a place.
    package func door(from place: Place) -> any PostgresStandIn {
        MemoryDoor(database: self, place: place)
    }

    /// The process at a place is gone: what is on its way is still carried out, everything else is rolled back as soon as
    /// the server has noticed.
    package func lost(_ place: Place) {
        for session in sessions.values.sorted(by: { $0.number < $1.number }) where session.place === place {
            session.isOrphan = true
            if !session.isBusy { world.after(world.duration(0...500)) { self.end(session) } }
        }
    }

    /// Somebody at a console locks the lease of a shard for a while.
    package func lockLease(of shard: Int16, from console: Place, for duration: Duration) {
        guard locks[.lease(shard)] == nil, let session = try? open(from: console, isTransaction: true) else { return }
        world.note("\(console.name) locks the lease of shard \(shard)")
        lock(.lease(shard), by: session)
        world.after(duration) { self.end(session) }
    }

    /// The server stops at once: nothing that is not committed stays.
    package func crash() {
        onDisturbance()
        for session in sessions.values.sorted(by: { $0.number < $1.number }) {
            end(session)
            session.fail(.connectionLost(statement: nil, reason: "the server was stopped"))
        }
    }

    /// Nothing is answered any more, and nothing is kept.
    package func close() {
        weather.isDown = true
        crash()
        tables = Tables(shards: [])
    }
}

// MARK: - Sessions

extension MemoryDatabase {
    func open(from place: Place, isTransaction: Bool) throws(PostgresError) -> MemorySession {
        guard !weather.isDown else { throw .cannotConnect(reason: "the server is down") }
        sessionCount += 1
        let session = MemorySession(number: sessionCount, of: self, place: place, isTransaction: isTransaction)
        sessions[session.number] = session
        return session
    }

    /// The time on the way.
    func passage() -> Duration {
        let isSlow = world.happens(inAThousand: weather.slowInAThousand)
        return world.duration(isSlow ? weather.slowness : weather.latency)
    }

    /// Takes a request: carries it out after a while, and answers after another.
    func take(_ request: MemorySession.Request, of session: MemorySession) {
        let fate = world.number(below: 2_000)
        if fate < weather.brokenInAThousand {
            onDisturbance()
            world.after(passage()) {
                self.end(session)
                session.fail(.connectionLost(statement: request.name, reason: "broken before it was sent"))
            }
            return
        }
        let losesAnswer = fate < 2 * weather.brokenInAThousand
        world.after(passage()) { self.carryOut(request, from: 0, of: session, answering: !losesAnswer) }
    }

    private func carryOut(
        _ request: MemorySession.Request,
        from first: Int,
        of session: MemorySession,
        answering isAnswered: Bool
    ) {
        guard !session.isEnded else { return }
        var index = first
        while index < request.queries.count {
            let query = request.queries[index]
            for lock in RowLock.needed(by: query) {
                if let holder = locks[lock], holder !== session {
                    let next = index
                    session.isWaiting = true
                    waiting[lock, default: []].append(
                        (session, { self.carryOut(request, from: next, of: session, answering: isAnswered) })
                    )
                    if let patience = session.patience { giveUp(query, of: session, after: patience) }
                    return
                }
                self.lock(lock, by: session)
            }
            session.results.append(run(query, of: session))
            index += 1
        }
        if request.isCommitting || !session.isTransaction { commit(session) }
        world.note("\(session.place.name) \(request.name)")
        if session.isOrphan {
            end(session)
        } else if isAnswered {
            world.after(passage()) {
                // The client may have gone while the answer was on its way.
                if session.isOrphan { self.end(session) }
                session.answer()
            }
        } else {
            onDisturbance()
            end(session)
            world.after(passage()) {
                session.fail(.connectionLost(statement: request.name, reason: "broken before the answer came"))
            }
        }
    }

    /// A row that stays locked is not waited for longer than the session's transaction wants to.
    private func giveUp(_ query: PostgresQuery, of session: MemorySession, after patience: Duration) {
        world.after(patience) {
            guard session.isWaiting else { return }
            guard !session.isOrphan else { return self.end(session) }
            self.rollBack(session)
            self.world.after(self.passage()) {
                session.fail(.timedOut(statement: query.statement.name, after: patience))
            }
        }
    }

    private func run(_ query: PostgresQuery, of session: MemorySession) -> PostgresRows {
        if session.startedAt == nil { session.startedAt = world.now.microseconds }
        if query.statement.name == "lease.patience" { session.patience = .milliseconds(100) }
        let isLocked: (RowLock) -> Bool = { [locks] in locks[$0].map { $0 !== session } ?? false }
        let context = MemoryStatement.Context(
            now: session.startedAt ?? 0,
            defect: defect,
            isLockedByOther: isLocked
        )
        let answer = MemoryStatement.answer(to: query, in: tables, context)
        if let row = answer.lock { lock(row, by: session) }
        if let change = answer.change { session.changes.append(change) }
        return PostgresRows(of: query.statement, answer.rows, affectedRows: answer.affectedRows)
    }

    private func commit(_ session: MemorySession) {
        tables.clock = world.elapsed
        for change in session.changes { change(&tables) }
        session.changes = []
        session.startedAt = nil
        release(session)
    }

    /// Rolls back what is open.
    func rollBack(_ session: MemorySession) {
        session.changes = []
        session.startedAt = nil
        release(session)
    }

    /// The session is over, and with it what it has not committed.
    func end(_ session: MemorySession) {
        session.isEnded = true
        rollBack(session)
        sessions[session.number] = nil
    }

    private func release(_ session: MemorySession) {
        if session.isWaiting {
            for lock in waiting.keys { waiting[lock]?.removeAll { $0.session === session } }
            session.isWaiting = false
        }
        let held = session.locks
        session.locks = []
        for lock in held {
            locks[lock] = nil
            guard let next = waiting[lock]?.first else { continue }
            waiting[lock]?.removeFirst()
            next.session.isWaiting = false
            world.after(.zero, next.goOn)
        }
    }

    private func lock(_ row: RowLock, by session: MemorySession) {
        guard locks.updateValue(session, forKey: row) == nil else { return }
        session.locks.append(row)
    }
}

/// A row that a statement locks until its transaction ends.
enum RowLock: Hashable, Comparable {
    case shard(Int16)
    case lease(Int16)
    case player(UUID)

    /// What a statement waits for before it runs, in the order in which it locks.
    static func needed(by query: PostgresQuery) -> [Self] {
        switch query.statement.name {
        case "shard.lock":
            return [.shard(query.parameters(Int16.self))]
        case "lease.checkpoint":
            return [.lease(query.parameters(Int16.self, Int64.self, UUID.self, Int64.self, Int64.self).0)]
        case "place.lockPlayer":
            return [.player(query.parameters(Int16.self, UUID.self).1)]
        default:
            return []
        }
    }
}
