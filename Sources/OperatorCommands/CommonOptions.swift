import ArgumentParser

/// The options that every verb takes: they may stand before the verb as well, as in `rangersctl --server URL stats`, and
/// in the middle of it, as in `rangersctl boss --server URL list`.
enum CommonOptions {
    /// With a value behind them.
    private static let options: Set = ["--server", "--token-file", "--timeout"]
    private static let flags: Set = ["--json"]

    /// The arguments with what stands before the verb behind it, where the parser expects it.
    ///
    /// What is no option of every verb stays where it is, and everything behind it: the parser has its say about that. So it
    /// has about an option without its value, which is never the word that is a verb.
    static func behindTheVerb(_ arguments: [String]) -> [String] {
        var rest = arguments[...]
        var verb: [String] = []
        var common: [String] = []
        var verbs = RangersctlCommand.configuration.subcommands
        while let first = rest.first, !verbs.isEmpty {
            if flags.contains(first) || options.contains(where: { first.hasPrefix("\($0)=") }) {
                common.append(rest.removeFirst())
            } else if options.contains(first), let value = rest.dropFirst().first {
                common.append(rest.removeFirst())
                if !value.hasPrefix("-"), self.verb(value, of: verbs) == nil { common.append(rest.removeFirst()) }
            } else if let meant = self.verb(first, of: verbs) {
                verb.append(rest.removeFirst())
                verbs = meant.configuration.subcommands
            } else {
                break
            }
        }
        // Behind `--` everything is a value.
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return verb + rest[..<end] + common + rest[end...]
    }

    private static func verb(_ word: String, of verbs: [any ParsableCommand.Type]) -> (any ParsableCommand.Type)? {
        verbs.first { ($0.configuration.commandName ?? "\($0)".lowercased()) == word }
    }
}
