import Encodings
import GameCore
import GameStore
import TestSupport
import Testing

@testable import PushDispatcher

/// What stands between a wish for cards and their starts: clocks, a database that fails, and stops.
@Suite struct CardWishTests {
    private static let waiting = "a card waits"

    @Test func `a start that the database had no answer for is sent when it has one`() async throws {
        try await DispatchWorld.with { world in
            let (_, _, players) = try await world.fight()
            let start = newToken()
            try await world.keepPushToStart(start, of: players[0])
            try await world.dispatching(policy: .withoutGrace) {
                try await world.withoutPushToStart {
                    try await eventually("a failed question") { !world.logs.lines(Self.waiting).isEmpty }
                }
                try await eventually("the start") { !world.apns.pushes(to: start).isEmpty }
            }
            #expect(world.apns.pushes(to: start).count == 1)
        }
    }

    @Test func `a stop waits for starts no longer than for answers`() async throws {
        try await DispatchWorld.with { world in
            let (_, _, players) = try await world.fight()
            try await world.keepPushToStart(newToken(), of: players[0])
            try await world.withoutPushToStart {
                let (stops, stopping) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
                try await world.dispatching(policy: .withoutGrace, drainLimit: .milliseconds(200)) {
                    try await eventually("a failed question") { !world.logs.lines(Self.waiting).isEmpty }
                    stopping.yield(.now)
                }
                let stop = try #require(await stops.first { _ in true })
                // The wish would be good for most of a minute.
                #expect(ContinuousClock.now - stop < .seconds(40))
            }
        }
    }

    @Test func `a wish that is too old asks the database nothing`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, _) = try await world.fight()
            try await world.withoutPushToStart {
                await world.starter.grant(
                    CardWish(
                        adventureID: stored.id,
                        occasion: .adventureStarted,
                        wantedAt: stored.startedAt + .seconds(-60)
                    )
                )
            }
            #expect(world.logs.lines(Self.waiting).isEmpty)
            #expect(
                world.logs.lines("no card was started").map { $0.metadata["why"] }
                    == ["it is too long ago that the card was wanted"]
            )
        }
    }

    @Test func `a start that cannot be sent claims nothing`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            try await world.keepPushToStart([], of: players[0])
            await world.starter.grant(
                CardWish(adventureID: stored.id, occasion: .adventureStarted, wantedAt: stored.startedAt)
            )
            #expect(world.logs.lines("a stored push-to-start token is empty or too long").count == 1)
            #expect(try await world.store.pushToStartRecords(of: players).map(\.starts.count) == [0])
        }
    }

    @Test func `a beginning written by a clock that runs fast is not waited for`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let start = newToken()
            try await world.ageBeginning(of: stored, bySeconds: -3_600)
            try await world.keepPushToStart(start, of: players[0])
            try await world.dispatching(policy: .withoutGrace) {
                try await eventually("the start") { !world.apns.pushes(to: start).isEmpty }
                try await eventually("the checkpoint") { try await world.isSettled(stored) }
            }
        }
    }

    @Test func `what does not fit among the wishes is told in the log`() async throws {
        try await DispatchWorld.with { world in
            let fights = [try await world.fight().stored.id, try await world.fight().stored.id]
            let (wished, wishes) = AsyncStream<CardWish>.makeStream(bufferingPolicy: .bufferingOldest(1))
            let loop = world.loop(wishing: wishes)
            try await eventually("one too many") {
                await loop.round()
                return !world.logs.lines("too many cards are asked for: one was not").isEmpty
            }
            wishes.finish()
            var kept: [AdventureID] = []
            for await wish in wished { kept.append(wish.adventureID) }
            let dropped = world.logs.lines("too many cards are asked for: one was not").map { $0.metadata["adventure"] }
            #expect(kept.count == 1 && dropped.count == 1)
            #expect(Set(kept.map { "\($0)" } + dropped.compactMap(\.self)) == Set(fights.map { "\($0)" }))
        }
    }
}
