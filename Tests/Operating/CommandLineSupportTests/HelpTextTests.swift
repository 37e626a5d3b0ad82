import Testing

@testable import CommandLineSupport

/// How the parser's help is put right.
@Suite struct HelpTextTests {
    private static let unwrapped = """
        OVERVIEW: It does something that takes more words.

        Examples:
          rangersctl adventure show 0198 --watch --every 5
          rangersctl stats
          rangersctl adventure show 0198 --json | jq .tick

        OPTIONS:
          --watch                 Again and again.
        """

    @Test func `an example is one line, and all else stays as it is`() {
        let wrapped = """
            OVERVIEW: It does something
            that takes more words.

            Examples:
              rangersctl adventure show
            0198 --watch --every 5
              rangersctl stats
              rangersctl adventure show
            0198 --json | jq .tick

            OPTIONS:
              --watch                 Again
                                      and again.
            """
        let whole = """
            OVERVIEW: It does something
            that takes more words.

            Examples:
              rangersctl adventure show 0198 --watch --every 5
              rangersctl stats
              rangersctl adventure show 0198 --json | jq .tick

            OPTIONS:
              --watch                 Again
                                      and again.
            """
        #expect(HelpText.withWholeExamples(wrapped, unwrapped: Self.unwrapped) == whole)
        #expect(HelpText.withWholeExamples(whole, unwrapped: Self.unwrapped) == whole)
    }

    @Test func `a text without examples stays as it is`() {
        let text = "Error: no\nsuch verb"
        #expect(HelpText.withWholeExamples(text, unwrapped: "Error: no such verb") == text)
    }

    @Test func `the usage is folded between arguments`() {
        let text = "What it is.\n\nUSAGE: rangersctl boss start <boss> [--party <id>] [--server <url>] [--json]\n\nEND"
        #expect(
            HelpText.withFoldedUsage(text, fitting: 40) == """
                What it is.

                USAGE: rangersctl boss start <boss>
                       [--party <id>] [--server <url>]
                       [--json]

                END
                """
        )
        #expect(HelpText.withFoldedUsage(text, fitting: 100) == text)
        #expect(HelpText.withFoldedUsage(text, fitting: nil) == text)
    }

    @Test func `a sentence gets the full stop that it lacks`() {
        #expect(["a", "a.", "a?", ""].map(Sentence.ended) == ["a.", "a.", "a?", ""])
    }
}
