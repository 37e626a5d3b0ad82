import Testing

@testable import CommandLineSupport

@Suite struct DisplayWidthTests {
    @Test(
        arguments: [
            ("", 0), ("dragon", 6), ("é", 1), ("e\u{301}", 1),
            ("🐳", 2), ("🐲 Drake", 8), ("❤️", 2), ("❤", 1), ("⚔️", 2), ("☃", 1), ("🧙🏽‍♀️", 2), ("👩‍👩‍👧‍👦", 2), ("🇰🇷", 2), ("1️⃣", 2),
            ("1", 1),
            ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("日本", 4), ("ひら", 4), ("Ａ", 2), ("ｱ", 1),
            ("█░", 2), ("…", 1), ("\u{200B}", 0),
        ]
    )
    func `the width of a text is that in a terminal`(text: String, columns: Int) {
        #expect(DisplayWidth.of(text) == columns)
    }

    @Test(
        arguments: [
            ("dragon", 6, "dragon"), ("dragon", 5, "drag…"), ("dragon", 1, "…"),
            ("🐳🐳🐳", 6, "🐳🐳🐳"), ("🐳🐳🐳", 5, "🐳🐳…"), ("🐳🐳🐳", 4, "🐳…"), ("한국어", 5, "한국…"),
        ]
    )
    func `a text is truncated between characters`(text: String, columns: Int, expected: String) {
        #expect(DisplayWidth.fit(text, into: columns) == expected)
        #expect(DisplayWidth.of(expected) <= columns)
    }
}
