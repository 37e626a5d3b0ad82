import Encodings
import Foundation
import GameCore
import Testing

@Suite struct NamesAndCodesTests {
    @Test(arguments: ["Ada", "민지", "👨‍👩‍👧‍👦 family", "Ünal", "عمر", "🏴󠁧󠁢󠁷󠁬󠁳󠁿", String(repeating: "a", count: 30)])
    func `a name that people have is taken as it is`(text: String) throws {
        #expect(try Name("  \(text)\n").text == text)
    }

    @Test func `a name is kept in form C, however it was typed`() throws {
        let typed = [("e\u{301}", "\u{e9}"), ("\u{1112}\u{1161}\u{11ab}", "\u{d55c}"), ("A\u{30a}", "\u{c5}")]
        for (decomposed, composed) in typed {
            #expect(Array(try Name(decomposed).text.unicodeScalars) == Array(composed.unicodeScalars))
        }
        // 30 characters of Hangul in their letters: 270 bytes that become 90.
        #expect(try Name(String(repeating: "\u{1112}\u{1161}\u{11ab}", count: 30)).text.utf8.count == 90)
        // Form C takes this one apart, from 4 bytes to 12, and the bound is for what is stored.
        #expect(throws: NameRefusal.tooManyBytes) { try Name(String(repeating: "\u{1d160}", count: 11)) }
    }

    @Test func `a character of a thousand marks is refused, and an emoji of next year is not`() throws {
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
        ("a\u{200b}b", .hiddenCharacter), ("x\u{ad}", .hiddenCharacter), ("\u{200d}x", .hiddenCharacter),
        ("a\u{2060}b", .hiddenCharacter), ("a\u{e0067}b", .hiddenCharacter), ("a\u{fe0f}", .hiddenCharacter),
        ("a\u{feff}b", .hiddenCharacter), ("a\u{200e}b", .hiddenCharacter), ("a\u{3164}b", .hiddenCharacter),
        ("a\u{200d}b", .hiddenCharacter), ("a\u{200c}b", .hiddenCharacter), ("a\u{34f}b", .hiddenCharacter),
        ("👩\u{200d}", .hiddenCharacter), ("👩\u{200d}a", .hiddenCharacter), ("a\u{200d}👩", .hiddenCharacter),
        ("👩\u{200d}\u{200d}👩", .hiddenCharacter), ("☺\u{fe0f}\u{fe0f}", .hiddenCharacter),
        ("1\u{fe0f}", .hiddenCharacter),
        ("🏴\u{e0067}\u{e0062}\u{e0065}", .hiddenCharacter), ("🏴\u{e0067}\u{e007f}", .hiddenCharacter),
        ("👩\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", .hiddenCharacter),
        ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\u{e007f}", .hiddenCharacter),
        ("ب\u{200c}b", .hiddenCharacter), ("ab\u{e0100}", .hiddenCharacter), ("ශ්\u{200d}", .hiddenCharacter),
        ("a\u{180b}", .hiddenCharacter),
        ("a\u{e000}", .noCharacter), ("\u{10fffd}", .noCharacter), ("a\u{fffe}", .noCharacter),
        (String(repeating: "ab", count: 10_000), .tooLong),
    ])
    func `a name that cannot be shown is refused with the reason`(text: String, refusal: NameRefusal) {
        #expect(throws: refusal) { try Name(text) }
    }

    /// Each with something that nobody sees by itself, and that shows in what it is part of.
    @Test(
        arguments: [
            "🏳️‍🌈", "🧑🏽‍🚀 Mae", "❤️‍🔥", "☺︎", "©️", "1️⃣", "#️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 and 🏴󠁧󠁢󠁳󠁣󠁴󠁿", "👩‍❤️‍💋‍👨", "👩\u{200d}\u{1fadd}",
            // Persian Alireza, Sinhala Sri, Japanese with a chosen form, Mongolian.
            "علی\u{200c}رضا", "ශ්\u{200d}රී", "葛\u{e0100}城", "ᠭ\u{180b}",
        ]
    )
    func `what makes an emoji or a script what it is may be in a name`(text: String) throws {
        #expect(try Name(text).text == text)
    }

    @Test func `an invite code is read as it is told`() {
        var generator = CountingBits(next: 3)
        let code = InviteCode(using: &generator)
        #expect(code.rawValue.count == 8)
        let told = code.rawValue.lowercased().prefix(4) + "-" + code.rawValue.suffix(4) + " "
        #expect(InviteCode(typed: String(told)) == code)
        #expect(InviteCode(typed: "O0Il1234")?.rawValue == "00111234")
    }

    @Test(arguments: ["", "1234567", "123456789", "1234567!", "1234567U", "ÄÖÜ45678"])
    func `what no code can look like is none`(text: String) {
        #expect(InviteCode(typed: text) == nil)
    }

    @Test func `an identifier says its time, its version and its shard`() throws {
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
