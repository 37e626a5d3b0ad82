/// Parses numbers in paths, queries and headers.
package enum WholeNumber {
    /// Returns the number that a text of decimal digits denotes; nil for any other text, including one with a sign, and
    /// for numbers out of range.
    package static func read(_ text: String, in range: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), range.contains(number)
        else { return nil }
        return number
    }
}
