/// Suggests the intended name for a mistyped one.
package enum SpellingSuggestion {
    /// Returns the candidate nearest to a mistyped name, or nil if none is near enough.
    ///
    /// Near enough is an edit distance of at most a third of the name's length, without the shared prefix. Ties go to
    /// the first candidate in alphabetical order. The comparison ignores case.
    static func nearest(to name: String, among candidates: [String], sharing prefix: String = "") -> String? {
        let letters = Array(name.uppercased().utf8.dropFirst(prefix.utf8.count))
        let limit = max(1, letters.count / 3)
        return candidates.sorted()
            .map {
                (name: $0, distance: editDistance(letters, Array($0.uppercased().utf8.dropFirst(prefix.utf8.count))))
            }
            .filter { $0.distance <= limit }
            .min { $0.distance < $1.distance }?
            .name
    }

    /// Returns the Levenshtein distance of two sequences: the minimum number of insertions, removals and replacements.
    package static func editDistance<Letter: Equatable>(_ left: [Letter], _ right: [Letter]) -> Int {
        var previous = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let replaced = previous[column] + (letter == other ? 0 : 1)
                current.append(min(replaced, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous[right.count]
    }
}
