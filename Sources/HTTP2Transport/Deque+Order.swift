import DequeModule

extension Deque {
    /// Inserts an element into its place, in elements that are ordered by a number.
    ///
    /// Nearly all have the highest number so far, and are appended.
    mutating func insert(_ element: Element, orderedBy number: (Element) -> Int) {
        guard let last, number(last) > number(element) else { return append(element) }
        var (low, high) = (startIndex, endIndex - 1)
        while low < high {
            let middle = (low + high) / 2
            if number(self[middle]) > number(element) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        insert(element, at: low)
    }
}
