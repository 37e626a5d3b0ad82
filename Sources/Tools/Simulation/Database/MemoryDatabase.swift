import Encodings
import Foundation
import GameCore
package import PostgresClient

/// An in-memory replacement for PostgreSQL, with the transactions and locks that the store relies on.
///
/// A statement sees the data committed before it began (READ COMMITTED). COMMIT applies all changes of a transaction at
/// once; other sessions see only its row locks before that. The store's explicit locks are implemented: on shards,
/// leases, dispatchers, players, raids and channels. Requests and responses take time, and a connection may break before a
/// request runs or after it.
package final class MemoryDatabase {
    /// Latencies and fault rates.
    package struct Conditions: Sendable {
        /// The one-way latency in milliseconds.
        package var latency = 0...2
        /// The number of one-way trips in a thousand that are slow.
        package var slowInAThousand = 0
        /// The one-way latency of slow trips, in milliseconds.
        package var slowLatency = 500...3_000
        /// The number of requests in a thousand that break the connection: half of them before they run, the other half
        /// afterwards.
        package var brokenInAThousand = 0
        /// Whether no connection can be made.
        package var isDown = false
    }

    /// The time limit of the renewal of a dispatcher's presence.
    private static let renewalTimeout = Duration.milliseconds(400)

    let world: SimulatedWorld
    let defect: Defect?
    private var locks: [RowLock: MemorySession] = [:]
    private var lockQueues: [RowLock: [(session: MemorySession, proceed: () -> Void)]] = [:]
    private var sessions: [Int: MemorySession] = [:]
    /// The sessions of crashed processes that wait for a response, which they get only when the database is closed.
    private var orphans: [MemorySession] = []
    private var sessionCount = 0

    /// The committed data.
    package private(set) var tables: MemoryTables
    /// How far a standby may lag behind the server, in microseconds.
    private static let maxLag: Int64 = 30_000_000

    /// Whether the server has a standby with the data as it was up to 30 seconds ago.
    package var hasStandby = false
    /// The data at some moments of that time, in microseconds since the run began.
    private var replicas: [(at: Int64, tables: MemoryTables)] = []
    /// The time by which the server's clock is ahead of the true time.
    package var clockError = Duration.zero {
        didSet { clockOffset = clockError.wholeMicroseconds }
    }
    /// The same in microseconds.
    private var clockOffset: Int64 = 0
    /// The current latencies and fault rates.
    package var conditions = Conditions()
    /// Called when a connection breaks.
    package var onFault: () -> Void = {}

    /// Creates an empty, migrated database.
    /// - Parameters:
    ///   - world: the world whose clock and randomness it uses.
    ///   - shards: the shards that exist.
    ///   - defect: the defect to inject.
    package init(in world: SimulatedWorld, shards: [Int16], defect: Defect? = nil) {
        self.world = world
        self.defect = defect
        self.tables = MemoryTables(shards: shards)
    }

    /// The server's clock, in microseconds since 1970.
    private var now: Int64 { world.now.microseconds + clockOffset }

    /// Whether a live activity is scheduled, and has not started.
    var awaitsStarts: Bool {
        tables.activities.values.contains { $0.state == "live" && ($0.startsAt ?? .min) > now }
    }

    /// Returns the connections of a host.
    package func connector(from host: SimulatedHost) -> any PostgresStandIn {
        MemoryConnector(database: WorldBound(self), host: host)
    }

    /// Ends the sessions of a host that crashed.
    ///
    /// Requests in flight still run; everything else is rolled back once the server has noticed the crash.
    package func disconnect(_ host: SimulatedHost) {
        for session in sessions.values.sorted(by: { $0.number < $1.number }) where session.host === host {
            session.isOrphan = true
            if !session.isBusy { world.after(world.duration(0...500)) { self.end(session) } }
        }
    }

    /// Locks the lease of a shard for a while, as an operator's SQL session would.
    package func lockLease(of shard: Int16, from console: SimulatedHost, for duration: Duration) {
        lock(.lease(shard), "the lease of shard \(shard)", from: console, for: duration)
    }

    /// Locks the row of a shard for a while, as an operator's SQL session would.
    func lockShard(_ shard: Int16, from console: SimulatedHost, for duration: Duration) {
        lock(.shard(shard), "shard \(shard)", from: console, for: duration)
    }

    /// Locks the row of a dispatcher for a while, as an operator's SQL session would.
    func lockDispatcher(_ holder: UUID, from console: SimulatedHost, for duration: Duration) {
        lock(.dispatcher(holder), "the row of dispatcher \(holder)", from: console, for: duration)
    }

    private func lock(_ row: RowLock, _ name: String, from console: SimulatedHost, for duration: Duration) {
        // Operators connect to no database that is down, and lock nothing then.
        guard locks[row] == nil, let session = try? open(from: console, isTransaction: true) else { return }
        world.log("\(console.name) locks \(name)")
        lock(row, by: session)
        world.after(duration) { self.end(session) }
    }

    /// Crashes the server: uncommitted changes are lost, and all connections break.
    package func crash() {
        onFault()
        for session in sessions.values.sorted(by: { $0.number < $1.number }) {
            end(session)
            session.fail(.connectionLost(statement: nil, reason: "the server crashed"))
        }
    }

    /// Replaces the server, which is down, by its standby: the last commits are lost.
    /// - Returns: the moment since which commits are lost, in microseconds since the run began; nil without a standby.
    package func failOver() -> Int64? {
        guard !replicas.isEmpty else { return nil }
        // Half of the standbys lag behind by a few seconds only, since more happens then to what is remembered.
        let newest = world.number(below: 2) == 0 ? replicas.count : min(8, replicas.count)
        let replica = replicas[replicas.count - 1 - world.number(below: newest)]
        (tables, replicas) = (replica.tables, [])
        return replica.at
    }

    /// Breaks all connections, accepts no others and deletes the data.
    package func close() {
        conditions.isDown = true
        crash()
        for session in orphans { session.fail(.connectionLost(statement: nil, reason: "the process has crashed")) }
        tables = MemoryTables(shards: [])
    }
}

// MARK: - Sessions

extension MemoryDatabase {
    func open(from host: SimulatedHost, isTransaction: Bool) throws(PostgresError) -> MemorySession {
        guard !conditions.isDown else { throw .cannotConnect(reason: "the server is down") }
        sessionCount += 1
        let session = MemorySession(number: sessionCount, of: self, host: host, isTransaction: isTransaction)
        sessions[session.number] = session
        return session
    }

    /// Returns a random one-way latency in microseconds.
    private func latency() -> Int64 {
        let isSlow = world.happens(inAThousand: conditions.slowInAThousand)
        return world.microseconds(isSlow ? conditions.slowLatency : conditions.latency)
    }

    /// Runs a request after one latency, and responds after another.
    func receive(_ request: MemorySession.Request, of session: MemorySession) {
        let roll = world.number(below: 2_000)
        if roll < conditions.brokenInAThousand {
            onFault()
            world.after(microseconds: latency()) {
                self.end(session)
                session.fail(
                    .connectionLost(statement: request.name, reason: "the connection broke before the request ran")
                )
            }
            return
        }
        let losesResponse = roll < 2 * conditions.brokenInAThousand
        // The clients have a time limit for these.
        if request.isRenewal { expire(session, request, after: Self.renewalTimeout) }
        world.after(microseconds: latency()) { self.run(request, from: 0, of: session, responding: !losesResponse) }
    }

    /// Cancels a request that has no response after a time limit.
    private func expire(_ session: MemorySession, _ request: MemorySession.Request, after limit: Duration) {
        world.after(limit) {
            guard session.isBusy, !session.isOrphan else { return }
            self.onFault()
            self.end(session)
            session.fail(.timedOut(statement: request.name, after: limit))
        }
    }

    private func run(
        _ request: MemorySession.Request,
        from first: Int,
        of session: MemorySession,
        responding: Bool
    ) {
        guard !session.isEnded else { return }
        if session.startedAt == nil { session.startedAt = now }
        var index = first
        while index < request.queries.count {
            let query = request.queries[index]
            for lock in RowLock.required(by: query) {
                if let holder = locks[lock], holder !== session {
                    let next = index
                    session.isWaiting = true
                    if case .shard(let shard) = lock { session.wait = (shard, now, tables.shards[shard]?.clock) }
                    lockQueues[lock, default: []].append(
                        (session, { self.run(request, from: next, of: session, responding: responding) })
                    )
                    if let timeout = session.lockTimeout { cancel(query, of: session, after: timeout) }
                    return
                }
                self.lock(lock, by: session)
            }
            session.results.append(run(query, of: session))
            index += 1
        }
        if request.isCommitting || !session.isTransaction { commit(session) }
        world.log("\(session.host.name) \(request.name)")
        if session.isOrphan {
            end(session)
        } else if responding {
            world.after(microseconds: latency()) {
                // The client may have crashed while the response was in flight.
                if session.isOrphan { self.end(session) }
                session.succeed()
            }
        } else {
            onFault()
            end(session)
            world.after(microseconds: latency()) {
                session.fail(
                    .connectionLost(statement: request.name, reason: "the connection broke before the response")
                )
            }
        }
    }

    /// Cancels a statement that still waits for a lock after a timeout.
    private func cancel(_ query: PostgresQuery, of session: MemorySession, after timeout: Duration) {
        world.after(timeout) {
            guard session.isWaiting else { return }
            guard !session.isOrphan else { return self.end(session) }
            self.rollBack(session)
            self.world.after(microseconds: self.latency()) {
                session.fail(.timedOut(statement: query.statement.name, after: timeout))
            }
        }
    }

    private func run(_ query: PostgresQuery, of session: MemorySession) -> PostgresRows {
        switch query.statement.name {
        case let name where name.hasPrefix("lease.setLockTimeout"): session.lockTimeout = .milliseconds(100)
        case "shard.limitLockWait": session.lockTimeout = .seconds(4)
        default: break
        }
        let context = MemoryStatement.Context(
            now: session.startedAt ?? 0,
            clock: statementTime(of: session),
            defect: defect,
            locks: locks,
            session: session
        )
        let result = MemoryStatement.run(query, on: &tables, context)
        if let row = result.lock { lock(row, by: session) }
        if let change = result.change { session.changes.append(change) }
        return PostgresRows(of: query.statement, result.rows, affectedRows: result.affectedRows)
    }

    /// Returns the time at which the server evaluates `clock_timestamp()`: before it waits for a row's lock, and again
    /// afterwards if another transaction has changed the row.
    private func statementTime(of session: MemorySession) -> Int64 {
        defer { session.wait = nil }
        guard let wait = session.wait, tables.shards[wait.shard]?.clock == wait.clock else { return now }
        return wait.since
    }

    private func commit(_ session: MemorySession) {
        if hasStandby, replicas.last.map({ world.elapsed - $0.at > 250_000 }) ?? true {
            replicas.removeFirst(replicas.prefix { world.elapsed - $0.at >= Self.maxLag }.count)
            replicas.append((world.elapsed, tables))
        }
        tables.commitTime = world.elapsed
        for change in session.changes { change(&tables) }
        session.changes = []
        session.startedAt = nil
        release(session)
    }

    /// Rolls back the open transaction.
    private func rollBack(_ session: MemorySession) {
        session.changes = []
        session.startedAt = nil
        release(session)
    }

    /// Closes a session and rolls back its open transaction.
    func end(_ session: MemorySession) {
        session.isEnded = true
        if session.isOrphan, session.isBusy { orphans.append(session) }
        rollBack(session)
        sessions[session.number] = nil
    }

    private func release(_ session: MemorySession) {
        if session.isWaiting {
            for lock in lockQueues.keys { lockQueues[lock]?.removeAll { $0.session === session } }
            session.isWaiting = false
        }
        let held = session.locks
        session.locks = []
        for lock in held {
            locks[lock] = nil
            guard let next = lockQueues[lock]?.first else { continue }
            lockQueues[lock]?.removeFirst()
            next.session.isWaiting = false
            world.after(.zero, next.proceed)
        }
    }

    private func lock(_ row: RowLock, by session: MemorySession) {
        guard locks.updateValue(session, forKey: row) == nil else { return }
        session.locks.append(row)
    }
}

extension MemoryStatement {
    /// The transaction that a statement runs in.
    struct Context {
        /// The start of the transaction: SQL's `now()`.
        let now: Int64
        /// The time of the statement: SQL's `clock_timestamp()` and `statement_timestamp()`.
        let clock: Int64
        let defect: Defect?
        let locks: [RowLock: MemorySession]
        let session: MemorySession

        func isLockedByOther(_ lock: RowLock) -> Bool { locks[lock].map { $0 !== session } ?? false }
    }
}

/// A row lock that a transaction holds until it ends.
enum RowLock: Hashable, Comparable {
    case shard(Int16)
    case lease(Int16)
    case dispatcher(UUID)
    case player(UUID)
    case raid(UUID)
    case channel(UUID, environment: String)

    /// Returns the locks that a statement waits for before it runs, in the order of acquisition.
    static func required(by query: PostgresQuery) -> [Self] {
        switch query.statement.name {
        case "shard.lock":
            return [.shard(query.parameters(Int16.self))]
        case "lease.checkpoint":
            return [
                .lease(
                    query.parameters(Int16.self, Int64.self, UUID.self, Int64.self, PostgresTimestamp?.self).0
                )
            ]
        case "lease.release":
            return [.lease(query.parameters(Int16.self, Int64.self, UUID.self).0)]
        case "dispatcher.renew":
            return [.dispatcher(query.parameters(UUID.self, Int64.self).0)]
        case "dispatcher.note":
            return [.dispatcher(query.parameters(UUID.self, Bool.self).0)]
        case "dispatcher.end":
            return [.dispatcher(query.parameters(UUID.self))]
        case "membershipSlot.lockPlayer":
            return [.player(query.parameters(Int16.self, UUID.self).1)]
        case "raid.lock":
            return [.raid(query.parameters(Int16.self, UUID.self, PostgresTimestamp?.self).1)]
        case "channel.lock":
            let (_, _, owner, environment) = query.parameters(Int16.self, String.self, UUID.self, String.self)
            return [.channel(owner, environment: environment)]
        case "channel.want":
            let (_, _, owner, environment, _) = query.parameters(
                Int16.self,
                String.self,
                UUID.self,
                String.self,
                Int16.self
            )
            return [.channel(owner, environment: environment)]
        case "progress.lock":
            return query.parameters(Int16.self, [UUID].self).1.sorted().map { .player($0) }
        default:
            return []
        }
    }
}
