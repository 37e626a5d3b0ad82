import Testing

@testable import GameCore

/// Texts that no adventure is stored as: refused with the reason, never a trap, since one bad row must not stop the server.
struct DamagedTextTests {
    private func check(_ text: String, isRefusedBecause reason: String) {
        do {
            let adventure = try Adventure(encoded: text)
            Issue.record("read as \(adventure)")
        } catch {
            #expect(error.reason.contains(reason), "\(error)")
        }
    }

    @Test(arguments: [
        ("2 bossFight", "3 bossFight", "unknown version of the stored form; this release reads version 2"),
        ("2 bossFight", "2 teaParty", "'teaParty' is no AdventureKind at byte 2"),
        ("2 bossFight", "2 journey", "expected 'region'"),
        ("running", "walking", "expected 'ended'"),
        ("running", "ended", "'tick' is no Outcome"),
        ("running", "ready", "an open turn belongs to a running fight"),
        ("running", "ended bossDefeated", "an open turn belongs to a running fight"),
        ("tick 37", "tick", "expected a number of 1 to 9 digits"),
        ("tick 37", "tick -1", "expected a number of 1 to 9 digits"),
        ("tick 37", "tick 1234567890", "expected a number of 1 to 9 digits"),
        ("tick 37", "tick  37", "expected a number of 1 to 9 digits"),
        ("sequence 96", "96", "expected 'sequence'"),
        ("rules 2", "rule 2", "expected 'rules'"),
        ("81af155173f2454d", "81af155173f2454", "expected 16 hexadecimal digits"),
        ("81af155173f2454d", "81AF155173F2454D", "expected 16 hexadecimal digits"),
        ("boss stonejaw", "boss nobody", "no boss 'nobody' in the catalogue"),
        ("61/405", "406/405", "406 of 405 health"),
        ("61/405", "0/0", "0 of 0 health"),
        ("61/405", "61", "expected two numbers with a slash between them"),
        ("61/405", "0/405", "the boss is defeated, and it is not over"),
        ("attack 63 65", "attack 63", "expected a number of 1 to 9 digits"),
        ("phase 3", "phase 4", "'stonejaw' has no phase 4"),
        ("phase 3", "phase 0", "'stonejaw' has no phase 0"),
        ("crush 1", "crush 3", "aim at seat 3"),
        ("crush 1", "crush 2", "aim at seat 2"),
        ("announced crush 1", "announced", "expected 'crush'"),
        ("turn 38 hero 0", "turn 38 hero 3", "a turn of seat 3"),
        ("turn 38 hero 0", "turn 38 hero 2", "a turn of seat 2"),
        ("turn 38 hero 0\n", "", "an open turn belongs to a running fight"),
        ("turn 38 hero 0", "turn 38", "expected a number of 1 to 9 digits at byte"),
        ("hero hoot", "hero nobody", "no hero 'nobody' in the catalogue"),
        ("player 00000000-0000-7000", "player 00000000-0000+7000", "expected a UUID"),
        ("player 00000000-0000-7000", "player 00000000-0000-700g", "expected a UUID"),
        ("player 00000000-0000-7000", "player 0000000-0000-7000", "expected a UUID"),
        ("level 3", "level 0", "level 0"),
        ("level 3", "level 21", "level 21"),
        ("60/117", "118/117", "118 of 117 health"),
        ("policy skip", "policy dance", "'dance' is no TurnPolicy"),
        ("cooldown 2 policy guard", "policy guard cooldown 2", "expected 'hero'"),
        ("guarding challenging", "challenging guarding", "expected 'hero'"),
    ])
    func `a fight that was damaged is refused with the reason`(part: String, other: String, reason: String) {
        #expect(GoldenState.fight.contains(part))
        check(GoldenState.fight.replacing(part, with: other, maxReplacements: 1), isRefusedBecause: reason)
    }

    @Test(arguments: [
        ("region forest", "region nowhere", "no region 'nowhere' in the catalogue"),
        ("place hollow-oak ", "", "expected 'place'"),
        ("hollow-oak", "nowhere", "'nowhere' is no place of 'forest'"),
        ("hollow-oak", "windmill", "'windmill' is no place of 'forest'"),
        ("wolves", "nobody", "'nobody' is no foe of 'forest'"),
        ("wolves", "wasps", "'wasps' is no foe of 'forest'"),
        ("20/44", "0/44", "0 of 44 health"),
        ("20/44", "45/44", "45 of 44 health"),
        ("20/44", "0/0", "0 of 0 health"),
        ("20/61", "61/61", "beyond its goal, and it is not over"),
        ("20/61", "20:61", "expected two numbers with a slash between them"),
        ("danger 118", "danger", "expected a number"),
        ("foe wolves 20/44", "foe wolves", "expected two numbers with a slash between them"),
        ("told 1 foe wolves 20/44", "foe wolves 20/44 told 1", "expected 'hero'"),
        ("76/112", "0/112", "nobody stands, and it is not over"),
    ])
    func `a journey that was damaged is refused with the reason`(part: String, other: String, reason: String) {
        #expect(GoldenState.journey.contains(part))
        check(GoldenState.journey.replacing(part, with: other, maxReplacements: 1), isRefusedBecause: reason)
    }

    @Test func `what waits for its start must be able to start`() throws {
        let lines = GoldenState.ready.split(separator: "\n").dropLast(2).joined(separator: "\n")
        let downed = GoldenState.ready.replacing("95/95", with: "0/95").replacing("132/132", with: "0/132")
        check(downed, isRefusedBecause: "nobody stands, and it is not over")
        check(lines, isRefusedBecause: "no heroes")
        let defeated = GoldenState.ready.replacing("250/250", with: "0/250")
        check(defeated, isRefusedBecause: "the boss is defeated, and it is not over")
        let arrived = GoldenState.journey.replacing("running", with: "ready").replacing("20/61", with: "0/0")
        check(arrived, isRefusedBecause: "beyond its goal, and it is not over")
    }

    @Test func `nothing, no heroes and nine heroes are refused`() {
        check("", isRefusedBecause: "unknown version of the stored form")
        check("2", isRefusedBecause: "expected a word at byte 1, found ''")
        check("{}", isRefusedBecause: "unknown version of the stored form")
        let nine = GoldenState.ready + String(repeating: "\n" + GoldenState.ready.split(separator: "\n")[3], count: 7)
        check(nine, isRefusedBecause: "more than 8 heroes")
    }
}

/// Texts that chance has damaged: each is refused or can be played on, and nothing traps.
struct FuzzTests {
    /// Plays on for up to 50 ticks, if the text can be read.
    /// - Returns: whether it could.
    private func playOn(_ text: String) -> Bool {
        do {
            var adventure = try Adventure(encoded: text)
            if adventure.status == .ready { _ = try adventure.advance(.start) }
            for _ in 0..<50 where adventure.status == .running { _ = try adventure.advance(.tick) }
            _ = adventure.encoded
            return true
        } catch let error as UndecodableAdventure {
            #expect(!error.reason.isEmpty)
            return false
        } catch {
            Issue.record("\(error) of \(text)")
            return false
        }
    }

    @Test(arguments: GoldenState.all) func `a text that was cut off anywhere is refused or goes on`(text: String) {
        var read = 0
        for length in 0...text.utf8.count {
            read += playOn(String(decoding: text.utf8.prefix(length), as: UTF8.self)) ? 1 : 0
        }
        #expect(read >= 1, "the whole text at least")
        #expect(read < text.utf8.count / 2)
    }

    @Test(arguments: GoldenState.all) func `a text with some other bytes is refused or goes on`(text: String) {
        var chance = Generator(seed: 77)
        let likely = Array("0123456789abcdef/ \n{}\":-".utf8)
        var read = 0
        for _ in 0..<1_500 {
            var bytes = Array(text.utf8)
            for _ in 0..<chance.number(in: 1...3) {
                let place = chance.number(below: bytes.count)
                switch chance.number(below: 4) {
                case 0: bytes[place] = UInt8(chance.number(below: 256))
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(chance.choice(of: likely), at: place)
                default: bytes[place] = chance.choice(of: likely)
                }
            }
            read += playOn(String(decoding: bytes, as: UTF8.self)) ? 1 : 0
        }
        #expect((10...1_400).contains(read), "\(read) of 1500 could be read")
    }
}
