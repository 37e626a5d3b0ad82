import Encodings
import Foundation
import GameCore
import Testing

@Suite struct NamesAndCodesTests {
    @Test(arguments: ["Ada", "민지", "👨‍👩‍👧‍👦 family", "Ünal", "عمر", "🏴󠁧󠁢󠁷󠁬󠁳󠁿", String(repeating: "a", count: 30)])
    func `valid names are trimmed and otherwise unchanged`(text: String) throws {
        #expect(try Name("  \(text)\n").text == text)
    }

    @Test func `names are normalized to form C`() throws {
        let typed = [("e\u{301}", "\u{e9}"), ("\u{1112}\u{1161}\u{11ab}", "\u{d55c}"), ("A\u{30a}", "\u{c5}")]
        for (decomposed, composed) in typed {
            #expect(Array(try Name(decomposed).text.unicodeScalars) == Array(composed.unicodeScalars))
        }
        // 30 decomposed Hangul characters: 270 bytes that become 90.
        #expect(try Name(String(repeating: "\u{1112}\u{1161}\u{11ab}", count: 30)).text.utf8.count == 90)
        // Form C decomposes this character from 4 bytes to 12; the limit applies to the normalized name.
        #expect(throws: NameRefusal.tooManyBytes) { try Name(String(repeating: "\u{1d160}", count: 11)) }
    }

    @Test func `a character with a thousand marks is refused, and an unassigned emoji is valid`() throws {
        #expect(throws: NameRefusal.tooManyBytes) { try Name("a" + String(repeating: "\u{301}", count: 1_000)) }
        #expect(throws: NameRefusal.tooManyBytes) { try Name("a" + String(repeating: "\u{301}", count: 61)) }
        #expect(try Name("\u{1faf9}\u{1fadd}").text.unicodeScalars.count == 2)
    }

    @Test(arguments: [
        ("", NameRefusal.empty), (" \t ", .empty), ("\u{2800}", .empty), ("\u{301}", .empty), ("\u{200b}", .empty),
        ("\u{200d}\u{fe0f}", .empty),
        (String(repeating: "a", count: 31), .tooLong), (String(repeating: "👨‍👩‍👧‍👦", count: 6), .tooManyBytes),
        ("a\nb", .controlCharacter), ("a\0b", .controlCharacter), ("\u{202e}abc", .controlCharacter),
        ("a\u{2066}b", .controlCharacter), ("a\u{2028}b", .controlCharacter), ("a\u{85}b", .controlCharacter),
        ("a\u{200b}b", .invisibleCharacter), ("x\u{ad}", .invisibleCharacter), ("\u{200d}x", .invisibleCharacter),
        ("a\u{2060}b", .invisibleCharacter), ("a\u{e0067}b", .invisibleCharacter), ("a\u{fe0f}", .invisibleCharacter),
        ("a\u{feff}b", .invisibleCharacter), ("a\u{200e}b", .invisibleCharacter), ("a\u{3164}b", .invisibleCharacter),
        ("a\u{200d}b", .invisibleCharacter), ("a\u{200c}b", .invisibleCharacter), ("a\u{34f}b", .invisibleCharacter),
        ("👩\u{200d}", .invisibleCharacter), ("👩\u{200d}a", .invisibleCharacter), ("a\u{200d}👩", .invisibleCharacter),
        ("👩\u{200d}\u{200d}👩", .invisibleCharacter), ("☺\u{fe0f}\u{fe0f}", .invisibleCharacter),
        ("1\u{fe0f}", .invisibleCharacter),
        ("🏴\u{e0067}\u{e0062}\u{e0065}", .invisibleCharacter), ("🏴\u{e0067}\u{e007f}", .invisibleCharacter),
        ("👩\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", .invisibleCharacter),
        ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\u{e007f}", .invisibleCharacter),
        ("ب\u{200c}b", .invisibleCharacter), ("ab\u{e0100}", .invisibleCharacter), ("ශ්\u{200d}", .invisibleCharacter),
        ("a\u{180b}", .invisibleCharacter),
        ("a\u{e000}", .unassignableCharacter), ("\u{10fffd}", .unassignableCharacter),
        ("a\u{fffe}", .unassignableCharacter),
        (String(repeating: "ab", count: 10_000), .tooLong),
    ])
    func `invalid names are refused with the reason`(text: String, refusal: NameRefusal) {
        #expect(throws: refusal) { try Name(text) }
    }

    /// Names with invisible characters that an emoji or a script requires.
    @Test(
        arguments: [
            "🏳️‍🌈", "🧑🏽‍🚀 Mae", "❤️‍🔥", "☺︎", "©️", "1️⃣", "#️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 and 🏴󠁧󠁢󠁳󠁣󠁴󠁿", "👩‍❤️‍💋‍👨", "👩\u{200d}\u{1fadd}",
            // Persian Alireza, Sinhala Sri, Japanese with a variation selector, Mongolian.
            "علی\u{200c}رضا", "ශ්\u{200d}රී", "葛\u{e0100}城", "ᠭ\u{180b}",
        ]
    )
    func `invisible characters are valid where an emoji or a script requires them`(text: String) throws {
        #expect(try Name(text).text == text)
    }

    @Test func `a typed invite code may have lower case, hyphens, spaces and look-alikes`() {
        var generator = CountingBits(next: 3)
        let code = InviteCode(using: &generator)
        #expect(code.rawValue.count == 8)
        let typed = code.rawValue.lowercased().prefix(4) + "-" + code.rawValue.suffix(4) + " "
        #expect(InviteCode(typed: String(typed)) == code)
        #expect(InviteCode(typed: "O0Il1234")?.rawValue == "00111234")
    }

    @Test(arguments: ["", "1234567", "123456789", "1234567!", "1234567U", "ÄÖÜ45678"])
    func `malformed invite codes are rejected`(text: String) {
        #expect(InviteCode(typed: text) == nil)
    }

    @Test func `an identifier contains its time, its version and its shard`() throws {
        var generator = CountingBits(next: 1)
        let moment = Timestamp(microseconds: 1_790_000_000_123_456)
        let id = AdventureID(at: moment, in: Shard(rawValue: 0xa7), using: &generator)
        #expect(id.shard.rawValue == 0xa7)
        #expect(id.description.hasSuffix("a7"))
        let digits = id.description.replacingOccurrences(of: "-", with: "")
        #expect(Int64(digits.prefix(12), radix: 16) == moment.epochMilliseconds)
        #expect(Array(digits)[12] == "7" && "89ab".contains(Array(digits)[16]))
        #expect(AdventureID(id.description.uppercased()) == id)
        #expect(AdventureID("nonsense") == nil)
        let json = try JSONEncoder().encode([id])
        #expect(String(decoding: json, as: UTF8.self) == #"["\#(id)"]"#)
        #expect(try JSONDecoder().decode([AdventureID].self, from: json) == [id])
    }

    @Test func `moments before 1970 are rounded down to seconds as well`() {
        #expect(Timestamp(microseconds: -1).epochSeconds == -1)
        #expect(Timestamp(microseconds: 1_999_999).epochSeconds == 1)
        let moment = Timestamp(epochSeconds: 10)
        #expect((moment + .milliseconds(1_500)) - moment == .milliseconds(1_500))
        #expect(moment - .seconds(3) < moment)
    }
}
