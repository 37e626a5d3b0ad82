/// What a command has measured: the object for scripts, as it is encoded, and lines for people.
protocol Report: Encodable {
    /// Whether it tells how fast something is, which a debug build cannot say.
    static var isAboutSpeed: Bool { get }

    /// Lines without line breaks in them.
    /// - Parameter width: the terminal's columns, nil where the output is no terminal.
    /// - Returns: at least one line.
    func lines(fitting width: Int?) -> [String]
}
