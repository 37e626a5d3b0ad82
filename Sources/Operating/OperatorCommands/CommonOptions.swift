import ArgumentParser
import CommandLineSupport

/// The options that every verb takes: they may stand before the verb as well, as in `rangersctl --server URL stats`, and
/// in the middle of it, as in `rangersctl boss --server URL list`.
enum CommonOptions {
    /// With a value behind them.
    private static let options: Set = ["--server", "--token-file", "--timeout"]
    private static let flags: Set = ["--json"]
    /// The parser's own.
    private static let helpVerb = "help"

    /// The arguments with what stands before the verb behind it, where the parser expects it.
    ///
    /// What is no option of every verb stays where it is, and everything behind it: the parser has its say about that. So it
    /// has about an option without its value, which is never the word that is a verb.
    /// - Throws: `ValidationError` where there is no verb, and so nothing that could take the options, or a word that is none.
    static func behindTheVerb(_ arguments: [String]) throws -> [String] {
        var rest = arguments[...]
        var verb: [String] = []
        var common: [String] = []
        var verbs = RangersctlCommand.configuration.subcommands
        var lacksValue: String?
        while let first = rest.first, !verbs.isEmpty {
            if flags.contains(first) || options.contains(where: { first.hasPrefix("\($0)=") }) {
                common.append(rest.removeFirst())
            } else if options.contains(first) {
                common.append(rest.removeFirst())
                guard let value = rest.first, !value.hasPrefix("-"), self.verb(value, of: verbs) == nil else {
                    lacksValue = lacksValue ?? first
                    continue
                }
                common.append(rest.removeFirst())
            } else if let meant = self.verb(first, of: verbs) {
                verb.append(rest.removeFirst())
                verbs = meant.configuration.subcommands
            } else {
                break
            }
        }
        // Without options either, the parser shows its help.
        guard !rest.isEmpty || verbs.isEmpty || common.isEmpty else {
            throw missingWord(behind: verb, oneOf: verbs, lackingValueOf: lacksValue)
        }
        if let word = rest.first, !verbs.isEmpty, !word.hasPrefix("-"), word != helpVerb {
            throw strangeWord(word, behind: verb, oneOf: verbs)
        }
        // What is no verb takes no options: the parser's say is about that alone.
        guard verbs.isEmpty else { return verb + rest }
        // Behind `--` everything is a value.
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return verb + rest[..<end] + common + rest[end...]
    }

    private static func missingWord(
        behind verb: [String],
        oneOf verbs: [any ParsableCommand.Type],
        lackingValueOf option: String?
    ) -> ValidationError {
        let value = option.map { "\($0) lacks its value. " } ?? ""
        return ValidationError("\(value)Say what to do, besides the options: \(list(verbs, behind: verb)).")
    }

    private static func strangeWord(
        _ word: String,
        behind verb: [String],
        oneOf verbs: [any ParsableCommand.Type]
    ) -> ValidationError {
        let printable = Printable.text((verb + [word]).joined(separator: " "))
        if let nearest = NearestWord.to(word, among: verbs.map(name)) {
            let meant = (verb + [nearest]).joined(separator: " ")
            return ValidationError("There is no '\(printable)'. Did you mean '\(meant)'?")
        }
        return ValidationError("There is no '\(printable)', but \(list(verbs, behind: verb)).")
    }

    private static func list(_ verbs: [any ParsableCommand.Type], behind verb: [String]) -> String {
        let names = verbs.map { "'\((verb + [name(of: $0)]).joined(separator: " "))'" }
        // Every verb with words behind it has two at least.
        return "\(names.dropLast().joined(separator: ", ")) or \(names[names.count - 1])"
    }

    private static func verb(_ word: String, of verbs: [any ParsableCommand.Type]) -> (any ParsableCommand.Type)? {
        verbs.first { name(of: $0) == word }
    }

    private static func name(of verb: any ParsableCommand.Type) -> String {
        verb.configuration.commandName ?? "\(verb)".lowercased()
    }
}
