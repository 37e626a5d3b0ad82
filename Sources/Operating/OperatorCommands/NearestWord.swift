/// Which of some words somebody may have meant.
enum NearestWord {
    /// So many letters may be wrong, missing or too much, of a long word.
    private static let mostEdits = 2
    /// One letter of so many in a shorter one.
    private static let lettersPerEdit = 3

    /// The one that differs least, if it is much alike; of several the first.
    static func to(_ word: String, among words: [String]) -> String? {
        let distances = words.map { (word: $0, edits: edits(from: Array(word.lowercased()), to: Array($0))) }
        let nearest = distances.min { $0.edits < $1.edits }
        return nearest.flatMap { nearest in
            nearest.edits <= min(mostEdits, (nearest.word.count + 1) / lettersPerEdit) ? nearest.word : nil
        }
    }

    /// How many letters have to be put in, taken out or changed (Levenshtein).
    private static func edits(from old: [Character], to new: [Character]) -> Int {
        var row = Array(0...new.count)
        for (index, letter) in old.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in new.enumerated() {
                let changed = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, row[column] + 1, diagonal + 1)
            }
        }
        return row[new.count]
    }
}
