/// Numbers in paths, queries and headers.
enum WholeNumber {
    /// The number that a text of digits is; nil for one out of range, and for anything else, a sign included.
    static func read(_ text: String, in range: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), range.contains(number)
        else { return nil }
        return number
    }
}
