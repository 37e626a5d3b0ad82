/// Finds what somebody may have meant who mistyped a name.
enum NearMiss {
    /// The most alike of some names; nil when none is alike enough to be worth naming.
    ///
    /// Alike enough is a third of the typed name, without the prefix that all of them share. Of equally alike names
    /// it is the first in alphabetical order.
    static func of(_ typed: String, among names: [String], sharing prefix: String = "") -> String? {
        let typed = Array(typed.uppercased().utf8.dropFirst(prefix.utf8.count))
        let limit = max(1, typed.count / 3)
        return names.sorted()
            .map { (name: $0, distance: distance(typed, Array($0.uppercased().utf8.dropFirst(prefix.utf8.count)))) }
            .filter { $0.distance <= limit }
            .min { $0.distance < $1.distance }?
            .name
    }

    /// How many letters must be inserted, removed or replaced to make one of the other (Levenshtein).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
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
