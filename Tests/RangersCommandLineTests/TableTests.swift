import Testing

@testable import RangersCommandLine

@Suite struct TableTests {
    private let table = Table(
        [.init("NAME"), .init("HEALTH", isNumber: true), .init("NOTE")],
        rows: [["🐳 Spouty", "7", ""], ["한국 영웅", "120", "a long note about this one"]]
    )

    @Test func `columns line up, whatever stands in them`() {
        #expect(
            table.lines(fitting: nil) == [
                "NAME       HEALTH  NOTE",
                "🐳 Spouty       7",
                "한국 영웅     120  a long note about this one",
            ]
        )
    }

    @Test func `the widest columns give way where the terminal is narrow`() {
        #expect(
            table.lines(fitting: 30) == [
                "NAME       HEALTH  NOTE",
                "🐳 Spouty       7",
                "한국 영웅     120  a long not…",
            ]
        )
    }

    @Test(arguments: 22...60)
    func `no line is wider than the terminal`(width: Int) {
        for line in table.lines(fitting: width) {
            #expect(DisplayWidth.of(line) <= width)
        }
    }

    @Test func `columns have a least width`() {
        #expect(table.lines(fitting: 1).first == "NAME    HEALTH  NOTE")
    }

    @Test func `a cell cannot steer the terminal`() {
        let table = Table([.init("NAME")], rows: [["\u{1B}[2J\u{202E}\n👩‍👩‍👧‍👦"]])
        #expect(table.lines(fitting: nil) == ["NAME", "\u{FFFD}[2J\u{FFFD}\u{FFFD}👩‍👩‍👧‍👦"])
    }
}
