import RangersSettings

/// Suggests the intended command for a mistyped one.
enum CommandSuggestion {
    /// The maximum edit distance for long commands.
    private static let maxEdits = 2
    /// The number of letters for each allowed edit of a shorter command.
    private static let lettersPerEdit = 3

    /// Returns the nearest command, or nil if none is near enough; ties go to the first.
    static func nearest(to word: String, among commands: [String]) -> String? {
        let letters = Array(word.lowercased())
        let distances = commands.map { ($0, edits: SpellingSuggestion.editDistance(letters, Array($0))) }
        let nearest = distances.min { $0.edits < $1.edits }
        return nearest.flatMap { command, edits in
            edits <= min(maxEdits, (command.count + 1) / lettersPerEdit) ? command : nil
        }
    }
}
