import Testing

@testable import GameCore

/// Damaged texts are rejected with a reason and never trap, since one damaged row must not stop the server.
struct DamagedTextTests {
    private func check(_ text: String, isRejectedBecause reason: String) {
        do {
            let adventure = try Adventure(encoded: text)
            Issue.record("decoded as \(adventure)")
        } catch {
            #expect(error.reason.contains(reason), "\(error)")
        }
    }

    @Test(arguments: [
        ("2 bossFight", "3 bossFight", "unknown version of the stored form; this release reads version 2"),
        ("2 bossFight", "2 teaParty", "'teaParty' is not a valid AdventureKind at byte 2"),
        ("2 bossFight", "2 journey", "expected 'region'"),
        ("running", "walking", "expected 'ended'"),
        ("running", "ended", "'tick' is not a valid AdventureOutcome"),
        ("running", "ready", "a fight has an open turn exactly while it is running"),
        ("running", "ended bossDefeated", "a fight has an open turn exactly while it is running"),
        ("tick 37", "tick", "expected a number of 1 to 9 digits"),
        ("tick 37", "tick -1", "expected a number of 1 to 9 digits"),
        ("tick 37", "tick 1234567890", "expected a number of 1 to 9 digits"),
        ("tick 37", "tick  37", "expected a number of 1 to 9 digits"),
        ("sequence 96", "96", "expected 'sequence'"),
        ("rules 2", "rule 2", "expected 'rules'"),
        ("rules 2", "rules 1", "unknown version of the rules, 1; this release has 2, 3, 4"),
        ("81af155173f2454d", "81af155173f2454", "expected 16 hexadecimal digits"),
        ("81af155173f2454d", "81ag155173f2454d", "expected 16 hexadecimal digits"),
        ("boss stonejaw", "boss nobody", "the catalogue has no boss 'nobody'"),
        ("61/405", "406/405", "invalid health 406/405"),
        ("61/405", "0/0", "invalid health 0/0"),
        ("61/405", "61", "expected two numbers with a slash between them"),
        ("61/405", "0/405", "the boss is defeated, but the fight has not ended"),
        ("attack 63 65", "attack 63", "expected a number of 1 to 9 digits"),
        ("phase 3", "phase 4", "boss 'stonejaw' has no phase 4"),
        ("phase 3", "phase 0", "boss 'stonejaw' has no phase 0"),
        ("crush 1", "crush 3", "the boss takes aim at seat 3, where no hero stands"),
        ("crush 1", "crush 2", "the boss takes aim at seat 2, where no hero stands"),
        ("announced crush 1", "announced", "expected 'crush'"),
        ("turn 38 hero 0", "turn 38 hero 3", "the open turn belongs to seat 3, where no hero stands"),
        ("turn 38 hero 0", "turn 38 hero 2", "the open turn belongs to seat 2, where no hero stands"),
        ("turn 38 hero 0\n", "", "a fight has an open turn exactly while it is running"),
        ("turn 38 hero 0", "turn 38", "expected a number of 1 to 9 digits at byte"),
        ("hero hoot", "hero nobody", "the catalogue has no hero 'nobody'"),
        ("player 00000000-0000-7000", "player 00000000-0000+7000", "expected a UUID"),
        ("player 00000000-0000-7000", "player 00000000-0000-700g", "expected a UUID"),
        ("player 00000000-0000-7000", "player 0000000-0000-7000", "expected a UUID"),
        ("level 3", "level 0", "invalid level 0"),
        ("level 3", "level 21", "invalid level 21"),
        ("60/117", "118/117", "invalid health 118/117"),
        ("policy skip", "policy dance", "'dance' is not a valid TurnPolicy"),
        ("cooldown 2 policy guard", "policy guard cooldown 2", "expected 'hero'"),
        ("guarding challenging", "challenging guarding", "expected 'hero'"),
    ])
    func `a damaged fight is rejected with a reason`(part: String, other: String, reason: String) {
        #expect(GoldenState.fight.contains(part))
        check(GoldenState.fight.replacing(part, with: other, maxReplacements: 1), isRejectedBecause: reason)
    }

    @Test(arguments: [
        ("region forest", "region nowhere", "the catalogue has no region 'nowhere'"),
        ("location hollow-oak ", "", "expected 'location'"),
        ("hollow-oak", "nowhere", "region 'forest' has no location 'nowhere'"),
        ("hollow-oak", "windmill", "region 'forest' has no location 'windmill'"),
        ("wolves", "nobody", "region 'forest' has no foe 'nobody'"),
        ("wolves", "wasps", "region 'forest' has no foe 'wasps'"),
        ("20/44", "0/44", "invalid health 0/44"),
        ("20/44", "45/44", "invalid health 45/44"),
        ("20/44", "0/0", "invalid health 0/0"),
        ("20/61", "61/61", "the journey is at its goal, but has not ended"),
        ("20/61", "20/1001", "a journey of 1001 steps is too long"),
        ("20/61", "20:61", "expected two numbers with a slash between them"),
        ("danger 118", "danger", "expected a number"),
        ("foe wolves 20/44", "foe wolves", "expected two numbers with a slash between them"),
        ("beats 1 foe wolves 20/44", "foe wolves 20/44 beats 1", "expected 'hero'"),
        ("76/112", "0/112", "no hero stands, but the adventure has not ended"),
    ])
    func `a damaged journey is rejected with a reason`(part: String, other: String, reason: String) {
        #expect(GoldenState.journey.contains(part))
        check(GoldenState.journey.replacing(part, with: other, maxReplacements: 1), isRejectedBecause: reason)
    }

    @Test func `an adventure before its start must be able to start`() throws {
        let lines = GoldenState.ready.split(separator: "\n").dropLast(2).joined(separator: "\n")
        let downed = GoldenState.ready.replacing("95/95", with: "0/95").replacing("132/132", with: "0/132")
        check(downed, isRejectedBecause: "no hero stands, but the adventure has not ended")
        check(lines, isRejectedBecause: "no heroes")
        let defeated = GoldenState.ready.replacing("250/250", with: "0/250")
        check(defeated, isRejectedBecause: "the boss is defeated, but the fight has not ended")
        let arrived = GoldenState.journey.replacing("running", with: "ready").replacing("20/61", with: "0/0")
        check(arrived, isRejectedBecause: "the journey is at its goal, but has not ended")
    }

    @Test func `empty texts, other versions and nine heroes are rejected`() {
        check("", isRejectedBecause: "unknown version of the stored form")
        check("2", isRejectedBecause: "expected a word at byte 1, found ''")
        check("{}", isRejectedBecause: "unknown version of the stored form")
        let nine = GoldenState.ready + String(repeating: "\n" + GoldenState.ready.split(separator: "\n")[3], count: 7)
        check(nine, isRejectedBecause: "more than 8 heroes")
    }
}

/// Randomly damaged texts are rejected or decode to an adventure that can be continued, and never trap.
struct FuzzTests {
    /// Decodes a text and plays up to 50 ticks.
    /// - Returns: whether the text could be decoded.
    private func canContinue(_ text: String) -> Bool {
        do {
            var adventure = try Adventure(encoded: text)
            if adventure.status == .ready { _ = try adventure.advance(.start) }
            for _ in 0..<50 where adventure.status == .running { _ = try adventure.advance(.tick) }
            _ = adventure.encoded
            return true
        } catch let error as AdventureDecodingError {
            #expect(!error.reason.isEmpty)
            return false
        } catch {
            Issue.record("\(error) for \(text)")
            return false
        }
    }

    @Test(arguments: GoldenState.all) func `a truncated text is rejected or can be continued`(text: String) {
        var decoded = 0
        for length in 0...text.utf8.count {
            decoded += canContinue(String(decoding: text.utf8.prefix(length), as: UTF8.self)) ? 1 : 0
        }
        #expect(decoded >= 1, "at least the whole text can be decoded")
        #expect(decoded < text.utf8.count / 2)
    }

    @Test(arguments: GoldenState.all) func `a text with changed bytes is rejected or can be continued`(text: String) {
        var generator = Generator(seed: 77)
        let likelyBytes = Array("0123456789abcdef/ \n{}\":-".utf8)
        var decoded = 0
        for _ in 0..<1_500 {
            var bytes = Array(text.utf8)
            for _ in 0..<generator.number(in: 1...3) {
                let index = generator.number(below: bytes.count)
                switch generator.number(below: 4) {
                case 0: bytes[index] = UInt8(generator.number(below: 256))
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(generator.choice(of: likelyBytes), at: index)
                default: bytes[index] = generator.choice(of: likelyBytes)
                }
            }
            decoded += canContinue(String(decoding: bytes, as: UTF8.self)) ? 1 : 0
        }
        #expect((10...1_400).contains(decoded), "\(decoded) of 1500 could be decoded")
    }
}
