import Testing

@testable import RangersSettings

@Suite struct ConfigurationFileTests {
    @Test(
        arguments: [
            ("NAME=value", "value"),
            ("  NAME =  two words  ", "two words"),
            ("NAME=postgresql://u@h/d?x=1#2", "postgresql://u@h/d?x=1#2"),
            ("NAME='as it is \\ \"here\"'", "as it is \\ \"here\""),
            (#"NAME="a \"quoted\" \\ word""#, #"a "quoted" \ word"#),
            (#"NAME="C:\temp""#, #"C:\temp"#),
            ("NAME=\"value\"  # why", "value"),
            ("NAME=", ""),
            ("NAME=''", ""),
            ("NAME=it's", "it's"),
            ("NAME=🐳", "🐳"),
        ]
    )
    func `a line is parsed to its value`(line: String, value: String) {
        let file = ConfigurationFile(line, path: "f")
        #expect(file.entries == [.init(name: "NAME", value: value, line: 1)])
        #expect(file.problems.isEmpty)
    }

    @Test(arguments: ["", "   ", "# NAME=value", "   # NAME"])
    func `blank lines and comments are skipped`(line: String) {
        let file = ConfigurationFile(line, path: "f")
        #expect(file.entries.isEmpty)
        #expect(file.problems.isEmpty)
    }

    @Test(
        arguments: [
            ("NAME", "is not a setting; write NAME=value, or # before a comment"),
            ("=value", "has no valid name before its =; write NAME=value"),
            ("export NAME=value", "has no valid name before its =; write NAME=value"),
            ("NAME=\"value", "has no closing quote"),
            ("NAME='value", "has no closing quote"),
            ("NAME=\"a\" b", "continues after the closing quote; quote the whole value"),
        ]
    )
    func `a malformed line is a problem`(line: String, reason: String) {
        let file = ConfigurationFile("A=1\n\(line)\nB=2", path: "f")
        #expect(file.problems == [.malformedLine(path: "f", line: 2, reason: reason)])
        #expect(file.entries.map(\.name) == ["A", "B"])
    }

    @Test func `lines may end with CRLF`() {
        let file = ConfigurationFile("A=1\r\nB=2\r\n", path: "f")
        #expect(file.entries == [.init(name: "A", value: "1", line: 1), .init(name: "B", value: "2", line: 2)])
    }

    @Test func `a repeated name is a problem`() {
        let file = ConfigurationFile("A=1\nA=2", path: "f")
        #expect(file.problems == [.malformedLine(path: "f", line: 2, reason: "A is already set in line 1")])
    }
}
