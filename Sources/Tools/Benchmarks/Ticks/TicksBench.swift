import Encodings
import Foundation
import GameCore
import GameStore
import PostgresClient

/// Plays many adventures in PostgreSQL, and runs the same statements without the game, in turns.
struct TicksBench {
    /// Odd, so that one of them is the median.
    static let rounds = 5
    /// About how many ticks a transaction plays, whatever is stored.
    static let ticksPerTransaction = 400
    private static let shards = 256
    private static let interval = Duration.seconds(10)
    /// Whole intervals since 1970, so that the first slot is a round's first.
    private static let start = Timestamp(epochSeconds: 1_750_000_000)
    /// How many ticks an adventure has behind it at most: with those of the measurement, less than most have in all.
    private static let ticksPlayed = 12
    /// Kept of the statements.
    private static let shownStatements = 12

    /// How many parties are stored, each by itself.
    let sizes: [Int]
    /// With how many connections, each by itself.
    let connections: [Int]
    /// Whether the same statements run without the game, too.
    let withFloor: Bool

    /// A plan whose rounds are alike however many parties there are: as many ticks in a transaction, from all shards that
    /// have any.
    /// - Returns: `step` is how far a round goes on in time, and in `roundsOfInterval` each adventure has one tick.
    static func plan(_ parties: Int) -> (plan: WorldPlan, step: Duration, roundsOfInterval: Int) {
        let shards = min(Self.shards, (parties + ticksPerTransaction - 1) / ticksPerTransaction)
        let fitting = WorldPlan.slots * ticksPerTransaction * shards / parties
        // A part of the interval that goes into it evenly: what was played in a round is due again in a later one.
        let slots = (1...max(1, min(fitting, WorldPlan.slots))).last { WorldPlan.slots.isMultiple(of: $0) } ?? 1
        let plan = WorldPlan(
            parties: parties,
            shards: shards,
            interval: interval,
            start: start,
            ticksPlayed: ticksPlayed,
            // As many journeys as fights in each shard, and not all of them alike.
            differentAdventures: 2 * shards * 4
        )
        return (plan, plan.slotLength * slots, WorldPlan.slots / slots)
    }

    /// Starts a server, measures on it, and stops it.
    func report() async throws -> TicksReport {
        let server = try await DurableServer()
        var lanes: [Lane] = []
        for size in sizes { lanes += try await makeLanes(size, on: server) }
        try await server.checkpoint()
        var progress = Progress(of: lanes.reduce(0) { $0 + $1.warmUps + Self.rounds })
        for lane in lanes {
            for round in 0..<lane.warmUps {
                _ = try await lane.measure(round, on: server)
                progress.advance()
            }
        }
        try await server.resetStatements()
        for round in 0..<Self.rounds {
            for index in lanes.indices {
                let figures = try await lanes[index].measure(lanes[index].warmUps + round, on: server)
                lanes[index].figures.append(figures)
                progress.advance()
            }
        }
        try await compareHeads(lanes)
        let statements = try await server.statements(of: lanes[0].database, atMost: Self.shownStatements)
        return TicksReport(lanes.map(\.result), statements: statements, of: lanes[0].result)
    }

    private func makeLanes(_ size: Int, on server: DurableServer) async throws -> [Lane] {
        let (plan, step, warmUps) = Self.plan(size)
        let name = "world_\(size)"
        let world = try await server.create(name)
        try await StockedWorld.make(plan, on: world)
        // Whoever comes first would clean up behind COPY: each begins with what was cleaned.
        try await BenchDatabases.pool(world).withConnection { try await $0.script("VACUUM ANALYZE") }
        var recording: TickRecording?
        if withFloor {
            let recorded = try await server.create("recorded_\(size)", from: name)
            recording = try await TickRecording(warmUps + Self.rounds, uri: recorded, plan: plan, step: step)
            try await server.drop("recorded_\(size)")
        }
        var lanes: [Lane] = []
        for count in connections {
            let played = "played_\(size)_\(count)"
            let uri = try await server.create(played, from: name)
            let lane = GameLane(uri: uri, plan: plan, step: step, connections: count)
            lanes.append(
                Lane(parties: size, connections: count, database: played, uri: uri, work: .game(lane), warmUps: warmUps)
            )
            guard let recording else { continue }
            let replayed = "replayed_\(size)_\(count)"
            let floorURI = try await server.create(replayed, from: name)
            let floor = try FloorLane(uri: floorURI, recording: recording, connections: count)
            lanes.append(
                Lane(
                    parties: size,
                    connections: count,
                    database: replayed,
                    uri: floorURI,
                    work: .floor(floor),
                    warmUps: warmUps
                )
            )
        }
        try await server.drop(name)
        return lanes
    }

    /// What ran without the game has written as much as the game.
    private func compareHeads(_ lanes: [Lane]) async throws {
        for size in sizes {
            var heads: Set<Int64> = []
            for lane in lanes where lane.parties == size {
                let store = GameStore(pool: BenchDatabases.pool(lane.uri))
                heads.insert(try await store.heads(of: Shard.all).reduce(0) { $0 + $1.head })
            }
            guard heads.count == 1 else {
                throw MeasurementFailure("The engines and the statements alone have not written the same: \(heads)")
            }
        }
    }
}

/// One thing that is measured in turns with others: the game or its statements alone, on a database of its own.
private struct Lane {
    enum Work {
        case game(GameLane)
        case floor(FloorLane)
    }

    let parties: Int
    let connections: Int
    let database: String
    let uri: String
    let work: Work
    /// How many rounds come before what is measured: in them everything is played once, so that what PostgreSQL does once for
    /// each page after a checkpoint (it writes it whole to its log) is no part of a tick, however much is stored.
    let warmUps: Int
    var figures: [TickFigures] = []

    func measure(_ round: Int, on server: DurableServer) async throws -> TickFigures {
        try await TickFigures.measured(on: server) {
            switch work {
            case .game(let lane): return try await lane.play()
            case .floor(let lane):
                try await lane.play(round)
                return nil
            }
        }
    }

    var result: TicksReport.Lane {
        let isFloor = if case .floor = work { true } else { false }
        return .init(parties: parties, connections: connections, isFloor: isFloor, rounds: figures)
    }
}

/// What one round came to.
struct TickFigures: Hashable, Sendable {
    /// Nil for statements alone: as many as in the same round of the game.
    let ticks: Int?
    let seconds: Double
    let walBytes: Double
    /// CPU time of this process.
    let ownSeconds: Double
    /// CPU time of PostgreSQL.
    let serverSeconds: Double

    /// Nothing was played.
    static let none = Self(ticks: 0, seconds: 0, walBytes: 0, ownSeconds: 0, serverSeconds: 0)

    /// What a piece of work takes.
    /// - Parameters:
    ///   - server: on which it works.
    ///   - work: how many ticks it has played; nil where it does not count them.
    /// - Returns: its figures.
    /// - Throws: what the work throws.
    static func measured(on server: DurableServer, _ work: () async throws -> Int?) async throws -> Self {
        let process = ProcessInfo.processInfo.processIdentifier
        let before = try await server.reading()
        let ownBefore = ProcessorTime.seconds(of: process)
        let start = ContinuousClock.now
        let ticks = try await work()
        let elapsed = ContinuousClock.now - start
        let own = ProcessorTime.seconds(of: process) - ownBefore
        let after = try await server.reading()
        return Self(
            ticks: ticks,
            seconds: elapsed / .seconds(1),
            walBytes: Double(after.walBytes - before.walBytes),
            ownSeconds: own,
            serverSeconds: after.processorSeconds - before.processorSeconds
        )
    }

    /// Both together.
    static func += (left: inout Self, right: Self) {
        left = Self(
            ticks: left.ticks.flatMap { ticks in right.ticks.map { ticks + $0 } },
            seconds: left.seconds + right.seconds,
            walBytes: left.walBytes + right.walBytes,
            ownSeconds: left.ownSeconds + right.ownSeconds,
            serverSeconds: left.serverSeconds + right.serverSeconds
        )
    }
}
