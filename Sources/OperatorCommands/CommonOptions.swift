/// The options that every verb takes: they may stand before the verb as well, as in `rangersctl --server URL stats`.
enum CommonOptions {
    /// With a value behind them.
    private static let options: Set = ["--server", "--token-file", "--timeout"]
    private static let flags: Set = ["--json"]

    /// The arguments with what stands before the verb behind it, where the parser expects it.
    ///
    /// What is no option of every verb stays where it is, and everything behind it: the parser has its say about that.
    static func behindTheVerb(_ arguments: [String]) -> [String] {
        var rest = arguments[...]
        var common: [String] = []
        while let first = rest.first {
            if flags.contains(first) || options.contains(where: { first.hasPrefix("\($0)=") }) {
                common.append(rest.removeFirst())
            } else if options.contains(first), rest.count > 1 {
                common += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else {
                break
            }
        }
        // Behind `--` everything is a value.
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return rest[..<end] + common + rest[end...]
    }
}
