import CommandLineSupport
import Testing

@Suite struct PaintTests {
    @Test func `titles are bold on a terminal`() {
        let paint = Paint(isTerminal: true, environment: ["TERM": "xterm", "NO_COLOR": ""])
        let table = Table([.init("NAME"), .init("NO.", isNumber: true)], rows: [["Ada", "7"]])
        #expect(table.lines(fitting: 40, paint: paint) == ["\u{1B}[1mNAME  NO.\u{1B}[0m", "Ada     7"])
        #expect(paint.red("no") == "\u{1B}[31mno\u{1B}[0m" && paint.green("") == "")
    }

    @Test(
        arguments: [
            Paint(isTerminal: false, environment: ["TERM": "xterm"]),
            Paint(isTerminal: true, environment: ["TERM": "xterm", "NO_COLOR": "1"]),
            Paint(isTerminal: true, environment: ["TERM": "dumb"]), Paint.none,
        ]
    )
    func `without a terminal, with NO_COLOR and on dumb terminals nothing is painted`(paint: Paint) {
        #expect(paint.bold("NAME") == "NAME")
    }
}
