import Encodings
import GameCore
import GameLog
import GameStore
import PushDispatch
import TestSupport
import Testing

@testable import PushDispatcher

/// Start requests under clock differences, database failures and stops.
@Suite struct StartRequestTests {
    private static let retried = "the start of an activity is retried"

    @Test func `a start waits until the database is available again`() async throws {
        try await DispatchWorld.with { world in
            let (_, _, players) = try await world.fight()
            let start = newToken()
            try await world.storePushToStartToken(start, of: players[0])
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await world.withoutPushToStart {
                    try await eventually("a failed query") { !world.logs.lines(Self.retried).isEmpty }
                }
                try await eventually("the start") { !world.apns.pushes(to: start).isEmpty }
            }
            #expect(world.apns.pushes(to: start).count == 1)
        }
    }

    @Test func `a stop waits for starts no longer than for pushes in flight`() async throws {
        try await DispatchWorld.with { world in
            let (_, _, players) = try await world.fight()
            try await world.storePushToStartToken(newToken(), of: players[0])
            try await world.withoutPushToStart {
                let (stops, stopping) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
                try await world.dispatching(policy: .withoutGracePeriod, drainLimit: .milliseconds(200)) {
                    try await eventually("a failed query") { !world.logs.lines(Self.retried).isEmpty }
                    stopping.yield(.now)
                }
                let stop = try #require(await stops.first { _ in true })
                // The request is valid for most of a minute.
                #expect(ContinuousClock.now - stop < .seconds(40))
            }
        }
    }

    @Test func `a request that is too old makes no query`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, _) = try await world.fight()
            try await world.withoutPushToStart {
                await world.starter.process(
                    StartRequest(
                        adventureID: stored.id,
                        occasion: .adventureStarted,
                        requestedAt: stored.startedAt + .seconds(-60)
                    )
                )
            }
            #expect(world.logs.lines(Self.retried).isEmpty)
            #expect(
                world.logs.lines("no activity was started").map { $0.metadata["reason"] }
                    == ["the occasion of the start is too long ago"]
            )
        }
    }

    @Test func `a start that cannot be sent is not claimed`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            try await world.storePushToStartToken([], of: players[0])
            await world.starter.process(
                StartRequest(adventureID: stored.id, occasion: .adventureStarted, requestedAt: stored.startedAt)
            )
            #expect(world.logs.lines("a stored push-to-start token is empty or too long").count == 1)
            #expect(try await world.store.startableDevices(of: players).map(\.starts.count) == [0])
        }
    }

    @Test func `a start dated in the future does not delay anything`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let start = newToken()
            try await world.ageStart(of: stored, bySeconds: -3_600)
            try await world.storePushToStartToken(start, of: players[0])
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the start") { !world.apns.pushes(to: start).isEmpty }
                try await eventually("the checkpoint") { try await world.isAcknowledged(stored) }
            }
        }
    }

    @Test func `a request that does not fit into the queue is logged`() async throws {
        try await DispatchWorld.with { world in
            let fights = [try await world.fight().stored.id, try await world.fight().stored.id]
            let (requests, startRequests) = AsyncStream<StartRequest>.makeStream(bufferingPolicy: .bufferingOldest(1))
            let loop = world.loop(requesting: startRequests)
            try await eventually("a dropped request") {
                await loop.runCycle()
                return !world.logs.lines("a start request was dropped: the queue is full").isEmpty
            }
            startRequests.finish()
            var kept: [AdventureID] = []
            for await request in requests { kept.append(request.adventureID) }
            let dropped = world.logs.lines("a start request was dropped: the queue is full").map {
                $0.metadata["adventure"]
            }
            #expect(kept.count == 1 && dropped.count == 1)
            #expect(Set(kept.map { "\($0)" } + dropped.compactMap(\.self)) == Set(fights.map { "\($0)" }))
        }
    }
}
