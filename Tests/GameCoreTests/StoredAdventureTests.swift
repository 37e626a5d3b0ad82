import Foundation
import Testing

@testable import GameCore

/// The form in which an adventure is stored.
struct StoredAdventureTests {
    @Test(arguments: AdventureKind.allCases, 1...8)
    func `an adventure that is stored and read goes on the same`(kind: AdventureKind, size: Int) throws {
        for seed in GameWorld.seeds.prefix(5) {
            let opening = GameWorld.opening(kind, heroes: size, seed: seed)
            var play = RandomPlay(opening, seed: seed)
            try play.playOut()

            // As the server does it: read, advanced and stored for every input.
            var stored = try JSON.text(of: opening)
            var events: [Event] = []
            for input in play.inputs {
                var adventure: Adventure = try JSON.value(of: stored)
                events += try adventure.advance(input)
                stored = try JSON.text(of: adventure)
            }
            #expect(events == play.events, "seed \(seed)")
            #expect(try JSON.value(of: stored) == play.adventure, "seed \(seed)")
        }
    }

    @Test func `version 1 of a journey is read and written as ever`() throws {
        let journey: Adventure = try JSON.value(of: GoldenState.journey)
        #expect(journey.region == "meadow" && journey.tick == 9 && journey.status == .running)
        #expect(try JSON.text(of: journey) == GoldenState.journey)
    }

    @Test func `version 1 of a fight is read and written as ever`() throws {
        let fight: Adventure = try JSON.value(of: GoldenState.fight)
        #expect(fight.boss?.id == "cinderwing" && fight.turn?.number == 12 && fight.status == .running)
        #expect(try JSON.text(of: fight) == GoldenState.fight)
    }

    @Test func `eight heroes take less than two thousand bytes`() throws {
        var fight = try GameWorld.fight(GameWorld.party(of: 8))
        for _ in 0..<20 { _ = try fight.advance(.tick) }
        #expect(try JSON.text(of: fight).utf8.count < 2_000)
    }

    @Test(arguments: [
        (#""version":1"#, #""version":2"#, "stored in version 2, and only 1 can be read"),
        (#""id":"cinderwing""#, #""id":"nobody""#, "no boss 'nobody' in the catalogue"),
        (#""id":"spouty""#, #""id":"nobody""#, "no hero 'nobody' in the catalogue"),
        (#""turn":{"hero":1,"number":12}"#, #""turn":{"hero":7,"number":12}"#, "a turn of seat 7"),
        (#","turn":{"hero":1,"number":12}"#, "", "an open turn belongs to a running fight"),
        (#""maximumHealth":110"#, #""maximumHealth":1"#, "of 1, "),
    ])
    func `a fight that cannot be played on is refused with the reason`(part: String, other: String, reason: String) {
        #expect(GoldenState.fight.contains(part))
        check(GoldenState.fight.replacingOccurrences(of: part, with: other), isRefusedBecause: reason)
    }

    @Test(arguments: [
        (#""region":"meadow""#, #""region":"nowhere""#, "no region 'nowhere' in the catalogue"),
        (#""level":1"#, #""level":0"#, "level 0"),
    ])
    func `a journey that cannot be played on is refused with the reason`(part: String, other: String, reason: String) {
        #expect(GoldenState.journey.contains(part))
        check(GoldenState.journey.replacingOccurrences(of: part, with: other), isRefusedBecause: reason)
    }

    @Test func `no heroes and nine heroes are refused`() throws {
        let start = try #require(GoldenState.journey.range(of: #""heroes":["#)?.upperBound)
        let end = try #require(GoldenState.journey.range(of: "]")?.lowerBound)
        let heroes = GoldenState.journey[start..<end]
        check(
            GoldenState.journey.replacingCharacters(in: start..<end, with: ""),
            isRefusedBecause: "0 heroes instead of 1 to 8"
        )
        check(
            GoldenState.journey.replacingCharacters(
                in: start..<end,
                with: Array(repeating: heroes, count: 5).joined(separator: ",")
            ),
            isRefusedBecause: "10 heroes instead of 1 to 8"
        )
    }

    @Test func `a journey where nobody stands is over`() {
        let downed = GoldenState.journey.replacing(/"health":[0-9]+/, with: #""health":0"#)
        check(downed, isRefusedBecause: "nobody stands, and it is not over")
    }

    private func check(_ json: String, isRefusedBecause reason: String) {
        do {
            let adventure: Adventure = try JSON.value(of: json)
            Issue.record("read as \(adventure)")
        } catch DecodingError.dataCorrupted(let context) {
            #expect(context.debugDescription.contains(reason))
        } catch {
            Issue.record(error)
        }
    }
}
