import Encodings
import Testing

@testable import GameCore

/// Moments of ticks, inputs between them, and the derivation of the same events however a timeline is played.
struct TimelineTests {
    private static let start = Timestamp(epochSeconds: 1_790_000_000)
    private static let interval = Duration.seconds(10)

    private static func timeline(_ opening: Adventure) -> (timeline: Timeline, events: [AdventureEvent]) {
        var events: [AdventureEvent] = []
        let timeline = Timeline(
            starting: opening,
            of: GameWorld.adventureID,
            at: start,
            interval: interval,
            appendingTo: &events
        )
        return (timeline, events)
    }

    private static func fight() -> Timeline {
        timeline(.bossFight(against: "glitch", heroes: GameWorld.heroes("zippy", "boulder"), seed: 3)).timeline
    }

    @Test(arguments: [AdventureKind.journey, .bossFight], GameWorld.seeds)
    func `ticks are due at the interval, and give the events of the adventure`(kind: AdventureKind, seed: UInt64) throws
    {
        let opening = GameWorld.opening(kind, heroes: 1 + Int(seed % 8), seed: seed)
        var adventure = opening
        let expected = try adventure.advance(.start) + adventure.playOut()

        var (timeline, events) = Self.timeline(opening)
        let end = timeline.end
        var ticks = 0
        while let due = timeline.playTick(dueBy: end, appendingTo: &events) {
            ticks += 1
            #expect(due == Self.start + Self.interval * ticks && timeline.newestEventAt == due)
        }
        #expect(events == expected && timeline.adventure == adventure)
        #expect(timeline.nextTickAt == nil && timeline.newestEventAt == end && timeline.end == end)
    }

    @Test func `no tick is played before it is due`() {
        var timeline = Self.fight()
        let before = timeline
        var events: [AdventureEvent] = []
        let early = Self.start + Self.interval - .microseconds(1)
        #expect(timeline.playTick(dueBy: early, appendingTo: &events) == nil)
        #expect(timeline == before && events.isEmpty)
        #expect(timeline.playTick(dueBy: Self.start + Self.interval, appendingTo: &events) != nil)
    }

    @Test func `a command that resolves a turn opens the next one at its moment`() throws {
        var timeline = Self.fight()
        var events: [AdventureEvent] = []
        #expect(timeline.adventure.turn == Turn(number: 1, hero: .first))
        let moment = Self.start + .seconds(4)
        try timeline.take(.command(.attack, by: GameWorld.player(0)), at: moment, appendingTo: &events)
        #expect(timeline.adventure.turn?.number == 2)
        #expect(timeline.newestEventAt == moment && timeline.nextTickAt == moment + Self.interval)
    }

    @Test func `an input that resolves no turn leaves its deadline`() throws {
        var timeline = Self.fight()
        let deadline = timeline.nextTickAt
        var events: [AdventureEvent] = []
        let policy = AdventureInput.command(.policy(.guard), by: GameWorld.player(1))
        try timeline.take(policy, at: Self.start + .seconds(1), appendingTo: &events)
        try timeline.take(.join(GameWorld.hero(5)), at: Self.start + .seconds(2), appendingTo: &events)
        try timeline.take(.leave(GameWorld.player(1)), at: Self.start + .seconds(3), appendingTo: &events)
        #expect(timeline.nextTickAt == deadline)

        var (journey, _) = Self.timeline(.journey(in: "meadow", heroes: GameWorld.heroes("hoot"), seed: 1))
        try journey.take(.join(GameWorld.hero(5)), at: Self.start + .seconds(2), appendingTo: &events)
        #expect(journey.nextTickAt == Self.start + Self.interval)
    }

    @Test func `a refused input changes nothing`() {
        var timeline = Self.fight()
        let before = timeline
        var events: [AdventureEvent] = []
        #expect(throws: AdventureRefusal.notYourTurn) {
            try timeline.take(
                .command(.attack, by: GameWorld.player(1)),
                at: Self.start + .seconds(1),
                appendingTo: &events
            )
        }
        #expect(timeline == before && events.isEmpty)
    }

    @Test func `an input can end the adventure`() throws {
        var timeline = Self.fight()
        var events: [AdventureEvent] = []
        let moment = Self.start + .seconds(7)
        try timeline.take(.end, at: moment, appendingTo: &events)
        #expect(timeline.nextTickAt == nil && timeline.end == moment)
        #expect(timeline.playTick(dueBy: moment + .seconds(1_000), appendingTo: &events) == nil)
        #expect(events == [.adventureEnded(outcome: .endedByOperator)])
    }

    @Test func `an outage postpones all later ticks`() {
        var (timeline, events) = Self.timeline(.journey(in: "meadow", heroes: GameWorld.heroes("hoot"), seed: 1))
        let end = timeline.end
        timeline.postpone(by: .seconds(3_600))
        #expect(timeline.nextTickAt == Self.start + Self.interval + .seconds(3_600))
        #expect(timeline.end == end + .seconds(3_600))
        #expect(timeline.playTick(dueBy: Self.start + .seconds(3_600), appendingTo: &events) == nil)

        while timeline.playTick(dueBy: end + .seconds(3_600), appendingTo: &events) != nil {}
        timeline.postpone(by: .seconds(1))
        #expect(timeline.nextTickAt == nil)
    }

    @Test func `equal events have equal digests, and different events different ones`() {
        var digests: [UInt64: [AdventureEvent]] = [:]
        for seed in UInt64(1)...200 {
            let kind: AdventureKind = seed % 2 == 0 ? .journey : .bossFight
            var (timeline, events) = Self.timeline(GameWorld.opening(kind, heroes: 3, seed: seed))
            let end = timeline.end
            while timeline.playTick(dueBy: end, appendingTo: &events) != nil {
                #expect((digests[timeline.digest.value] ?? events) == events)
                digests[timeline.digest.value] = events
            }
        }
        #expect(digests.count > 5_000)
    }

    @Test func `the digest of every kind of event is different, and the recorded one`() {
        var digest = EventDigest()
        var values: Set<UInt64> = []
        for (event, _) in WireFormatTests.events {
            var single = EventDigest()
            single.add(event)
            values.insert(single.value)
            if event.kind != "raidProgressed" { digest.add(event) }
        }
        #expect(values.count == WireFormatTests.events.count)
        // Digests are compared across releases.
        #expect(digest.value == 0x0453_6565_d436_e51f, "0x\(String(digest.value, radix: 16))")
        // Raids came with a later release.
        digest.add(.raidProgressed(health: 7, maximum: 9))
        #expect(digest.value == 0xaf09_fd31_3bcd_b38d, "0x\(String(digest.value, radix: 16))")
    }
}
