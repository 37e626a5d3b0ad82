import Testing

@testable import CommandLineSupport

@Suite struct TableTests {
    private let table = Table(
        [.init("NAME"), .init("HEALTH", isNumber: true), .init("NOTE")],
        rows: [["🐳 Spouty", "7", ""], ["한국 영웅", "120", "a long note about this one"]]
    )

    @Test func `columns are aligned for all characters`() {
        #expect(
            table.lines(fitting: nil) == [
                "NAME       HEALTH  NOTE",
                "🐳 Spouty       7",
                "한국 영웅     120  a long note about this one",
            ]
        )
    }

    @Test func `a narrow terminal truncates the widest columns`() {
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

    @Test func `columns have a minimum width`() {
        #expect(table.lines(fitting: 1).first == "NAME    HEALTH  NOTE")
    }

    private let parties = Table(
        [.whole("PARTY"), .init("NAME"), .init("MEMBERS", isNumber: true), .init("NOTE")],
        rows: [
            ["01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11", "The Foxes of the North", "3/8", "a long note"],
            ["01981f6e-0000-7000-8000-000000000011", "Bo", "1/8", ""],
        ]
    )

    @Test func `text columns are truncated before whole columns`() {
        #expect(
            parties.lines(fitting: 65) == [
                "PARTY                                 NAME      MEMBERS  NOTE",
                "01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11  The Fox…      3/8  a long …",
                "01981f6e-0000-7000-8000-000000000011  Bo            1/8",
            ]
        )
    }

    @Test func `rows become paragraphs if whole columns do not fit`() {
        #expect(
            parties.lines(fitting: 50) == [
                "PARTY    01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11",
                "NAME     The Foxes of the North",
                "MEMBERS  3/8",
                "NOTE     a long note",
                "",
                "PARTY    01981f6e-0000-7000-8000-000000000011",
                "NAME     Bo",
                "MEMBERS  1/8",
            ]
        )
        for width in 1...100 {
            let text = parties.lines(fitting: width).joined(separator: "\n")
            #expect(parties.rows.allSatisfy { text.contains($0[0]) }, "\(width)")
        }
    }

    @Test func `a cell cannot control the terminal`() {
        let table = Table([.init("NAME")], rows: [["\u{1B}[2J\u{202E}\n👩‍👩‍👧‍👦"]])
        #expect(table.lines(fitting: nil) == ["NAME", "\u{FFFD}[2J\u{FFFD}\u{FFFD}👩‍👩‍👧‍👦"])
    }

    @Test func `operators are listed with times to the second`() {
        let entries = [
            OperatorEntry(
                name: "ada",
                role: "admin",
                createdAt: "2026-11-26T21:53:45.747Z",
                expiresAt: nil,
                isExpired: false,
                revokedAt: "2026-12-01T00:00:00Z"
            ),
            OperatorEntry(
                name: "ben",
                role: "admin",
                createdAt: "2026-11-26T21:53:45.747Z",
                expiresAt: "2026-11-27T21:53:45.747Z",
                isExpired: true,
                revokedAt: nil
            ),
        ]
        #expect(
            OperatorEntry.table(entries).lines(fitting: nil) == [
                "NAME  ROLE   CREATED              EXPIRES                        REVOKED",
                "ada   admin  2026-11-26 21:53:45  never                          2026-12-01 00:00:00",
                "ben   admin  2026-11-26 21:53:45  2026-11-27 21:53:45 (expired)",
            ]
        )
    }
}
