import Encodings
import GameCore
import GameLog
import GameTestSupport
import PostgresClient
import TestSupport
import Testing

@testable import GameEngine
@testable import GameStore

/// Concurrent shards, and the effect of a slow shard on others.
@Suite struct ShardLanesTests {
    private static let start = ContinuousClock.now
    private static let pause = Duration.milliseconds(100)
    private static let shortPause = Duration.milliseconds(25)
    private static let rest = Duration.seconds(1)
    private static let played = GameEngine.PollCycle(moves: 1)
    private static let failed = GameEngine.PollCycle(failures: 1)

    private static func shard(_ number: UInt8) -> Shard { Shard(rawValue: number) }

    private static func due(_ number: UInt8, in wait: Duration = .zero) -> DueShard {
        DueShard(
            shard: shard(number),
            clock: TestClock.start - .seconds(1),
            now: TestClock.start,
            dueAt: TestClock.start + wait,
            isTicking: true
        )
    }

    private static func moment(_ milliseconds: Int) -> ContinuousClock.Instant {
        start + .milliseconds(milliseconds)
    }

    /// Creates two lanes, and a poll cycle that begins at the start.
    private static func lanes(_ numbers: UInt8...) -> ShardLanes {
        var lanes = ShardLanes(count: 2, pause: pause, shortPause: shortPause, rest: rest)
        #expect(lanes.next(at: start) == .poll)
        _ = lanes.beginCycle(of: numbers.map { due($0) }, at: start)
        return lanes
    }

    @Test func `the lanes limit concurrent shards, and readers are woken once a cycle`() {
        var lanes = Self.lanes(7, 8, 9)
        #expect(lanes.next(at: Self.moment(0)) == .play(Self.due(7)))
        #expect(lanes.next(at: Self.moment(0)) == .play(Self.due(8)))
        #expect(lanes.next(at: Self.moment(0)) == .wait(Self.pause))
        #expect({ lanes.ended(Self.shard(8), Self.played, at: Self.moment(10)) }() == false)
        #expect(lanes.next(at: Self.moment(10)) == .play(Self.due(9)))
        #expect({ lanes.ended(Self.shard(7), GameEngine.PollCycle(), at: Self.moment(20)) }() == false)
        #expect(lanes.next(at: Self.moment(20)) == .wait(.milliseconds(5)))
        #expect({ lanes.ended(Self.shard(9), GameEngine.PollCycle(), at: Self.moment(20)) }() == true)
        #expect(lanes.next(at: Self.moment(110)) == .poll)
        #expect({ lanes.beginCycle(of: [Self.due(7)], at: Self.moment(110)) }() == false)
        #expect(lanes.next(at: Self.moment(110)) == .play(Self.due(7)))
        #expect({ lanes.ended(Self.shard(7), GameEngine.PollCycle(), at: Self.moment(120)) }() == false)
    }

    @Test func `a shard whose lock is always taken is overdue after some skips, once`() {
        var lanes = ShardLanes(count: 2, pause: Self.pause, shortPause: Self.shortPause, rest: Self.rest)
        func isOverdue(at moment: ContinuousClock.Instant, _ played: GameEngine.PollCycle) -> Bool? {
            _ = lanes.beginCycle(of: [Self.due(7)], at: moment)
            guard case .play(let due) = lanes.next(at: moment) else { return nil }
            _ = lanes.ended(due.shard, played, at: moment)
            return due.isOverdue
        }
        let skipped = GameEngine.PollCycle()
        for number in 0..<ShardLanes.maxSkips { #expect(isOverdue(at: Self.moment(number), skipped) == false) }
        #expect(isOverdue(at: Self.moment(100), skipped) == true)
        #expect(isOverdue(at: Self.moment(101), skipped) == false)
        #expect(isOverdue(at: Self.moment(102), Self.played) == false)
        for number in 0..<ShardLanes.maxSkips { #expect(isOverdue(at: Self.moment(103 + number), skipped) == false) }
        #expect(isOverdue(at: Self.moment(200), Self.played) == true)
        #expect(isOverdue(at: Self.moment(201), skipped) == false)
    }

    @Test func `a shard is played at the moment at which it is due`() {
        var lanes = Self.lanes()
        let due = [Self.due(7, in: .milliseconds(60)), Self.due(8, in: .milliseconds(10)), Self.due(9)]
        _ = lanes.beginCycle(of: due, at: Self.moment(0))
        #expect(lanes.next(at: Self.moment(0)) == .play(due[2]))
        #expect(lanes.next(at: Self.moment(0)) == .wait(.milliseconds(10)))
        // Readers do not wait for shards that are not due yet.
        #expect({ lanes.ended(Self.shard(9), Self.played, at: Self.moment(5)) }() == true)
        #expect(lanes.next(at: Self.moment(10)) == .play(due[1]))
        #expect(lanes.next(at: Self.moment(10)) == .wait(.milliseconds(15)))
        // The next poll comes before its moment, and finds it again.
        #expect(lanes.next(at: Self.moment(25)) == .poll)
        _ = lanes.beginCycle(of: [Self.due(7, in: .milliseconds(35))], at: Self.moment(25))
        #expect(lanes.next(at: Self.moment(50)) == .poll)
        _ = lanes.beginCycle(of: [Self.due(7, in: .milliseconds(10))], at: Self.moment(50))
        #expect(lanes.next(at: Self.moment(59)) == .wait(.milliseconds(1)))
        #expect(lanes.next(at: Self.moment(60)) == .play(Self.due(7, in: .milliseconds(10))))
    }

    @Test func `a cycle is followed by a pause, and one without a response by a longer pause`() {
        var lanes = Self.lanes()
        #expect(lanes.next(at: Self.moment(40)) == .wait(.milliseconds(60)))
        #expect(lanes.next(at: Self.moment(100)) == .poll)
        _ = lanes.beginCycle(of: nil, at: Self.moment(100))
        #expect(lanes.next(at: Self.moment(100)) == .wait(Self.rest))
        #expect(lanes.next(at: Self.moment(1_100)) == .poll)
    }

    @Test func `a slow shard keeps its lane, is not played twice, and delays no cycle`() {
        var lanes = Self.lanes(7, 8)
        #expect(lanes.next(at: Self.moment(0)) == .play(Self.due(7)))
        #expect(lanes.next(at: Self.moment(0)) == .play(Self.due(8)))
        _ = lanes.ended(Self.shard(8), Self.played, at: Self.moment(10))
        for time in [100, 200, 300] {
            #expect(lanes.next(at: Self.moment(time)) == .poll)
            // Readers are told of the other shards of the cycle before.
            #expect({ lanes.beginCycle(of: [Self.due(7), Self.due(8)], at: Self.moment(time)) }() == true)
            #expect(lanes.next(at: Self.moment(time)) == .play(Self.due(8)))
            #expect({ lanes.ended(Self.shard(8), Self.played, at: Self.moment(time + 10)) }() == false)
        }
        #expect(lanes.next(at: Self.moment(400)) == .poll)
        #expect({ lanes.beginCycle(of: [], at: Self.moment(400)) }() == true)
        #expect({ lanes.ended(Self.shard(7), Self.played, at: Self.moment(410)) }() == true)
        #expect(lanes.next(at: Self.moment(410)) == .wait(.milliseconds(90)))
        #expect({ lanes.beginCycle(of: [Self.due(7)], at: Self.moment(500)) }() == false)
        #expect(lanes.next(at: Self.moment(500)) == .play(Self.due(7)))
    }

    /// The pause keeps failing shards from occupying all lanes, even if there are as many of them as lanes.
    @Test(arguments: [(10, 1_000), (5_000, 10_000)])
    func `a failed shard pauses for twice as long as it took, at least a second`(took: Int, rests: Int) {
        var lanes = Self.lanes(7, 8)
        #expect(lanes.next(at: Self.moment(0)) == .play(Self.due(7)))
        _ = lanes.ended(Self.shard(7), Self.failed, at: Self.moment(took))
        #expect(lanes.next(at: Self.moment(took)) == .play(Self.due(8)))
        _ = lanes.ended(Self.shard(8), Self.played, at: Self.moment(took))
        #expect(lanes.next(at: Self.moment(took + 100)) == .poll)
        _ = lanes.beginCycle(of: [Self.due(7), Self.due(8)], at: Self.moment(took + rests - 1))
        #expect(lanes.next(at: Self.moment(took + rests - 1)) == .play(Self.due(8)))
        _ = lanes.beginCycle(of: [Self.due(7), Self.due(8)], at: Self.moment(took + rests))
        #expect(lanes.next(at: Self.moment(took + rests)) == .play(Self.due(7)))
    }

    @Test func `a locked adventure delays no other shard`() async throws {
        try await World.with { world in
            let locked = try await world.startJourney(try await world.party(of: [world.player("Ada")]))
            var other = try await world.startJourney(try await world.party(of: [world.player("Ben")]))
            while other.id.shard == locked.id.shard {
                other = try await world.startJourney(try await world.party(of: [world.player("Cleo")]))
            }
            let free = other.id
            func hasEnded(_ id: AdventureID) async throws -> Bool {
                let adventure = try #require(try await world.store.adventure(id))
                return try await world.party(adventure.partyID).adventureID == nil
            }
            try await withThrowingTaskGroup { group in
                defer { group.cancelAll() }
                try await world.withLocked(locked) {
                    group.addTask { await world.engine().runUntilCancelled() }
                    world.clock.advance(by: .seconds(2_000))
                    try await world.waitForLockWait()
                    try await eventually("the end of the other") { try await hasEnded(free) }
                    #expect(try await !hasEnded(locked.id))
                }
                try await eventually("the end of the locked one") { try await hasEnded(locked.id) }
            }
        }
    }
}

extension World {
    /// Locks an adventure's row while a body runs, as a session at a console may.
    fileprivate func withLocked(_ stored: StoredAdventure, _ body: () async throws -> Void) async throws {
        try await pool.withTransaction { connection in
            _ = try await connection.query(
                PostgresQuery(
                    Statement(
                        "test.lockAdventure",
                        "SELECT FROM adventures WHERE shard = $1 AND adventure_id = $2 FOR UPDATE"
                    ),
                    Int16(stored.id.shard.rawValue),
                    stored.id.rawValue
                )
            )
            try await body()
        }
    }

    /// Waits until a session waits for a lock.
    fileprivate func waitForLockWait() async throws {
        try await eventually("a statement that waits for a lock") {
            try await self.pool.query(
                PostgresQuery(
                    Statement(
                        "test.lockWaits",
                        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                    )
                )
            ).first != nil
        }
    }
}
