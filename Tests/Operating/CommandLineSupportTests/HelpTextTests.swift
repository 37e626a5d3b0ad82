import Testing

@testable import CommandLineSupport

/// The corrected line breaks in ArgumentParser's help.
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

    @Test func `examples are rejoined, and all other text stays`() {
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

    @Test func `a text without examples stays unchanged`() {
        let text = "Error: no\nsuch verb"
        #expect(HelpText.withWholeExamples(text, unwrapped: "Error: no such verb") == text)
    }

    @Test func `the usage is wrapped between arguments`() {
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

    @Test func `a missing full stop is added to a sentence`() {
        #expect(["a", "a.", "a?", ""].map(Sentence.ended) == ["a.", "a.", "a?", ""])
    }
}
