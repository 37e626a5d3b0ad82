import DequeModule

extension Deque {
    /// Inserts an element into its place, in elements that are in order.
    ///
    /// Nearly all come after all others, and are appended.
    mutating func insert(_ element: Element, orderedBy precedes: (Element, Element) -> Bool) {
        guard let last, precedes(element, last) else { return append(element) }
        var (low, high) = (startIndex, endIndex - 1)
        while low < high {
            let middle = (low + high) / 2
            if precedes(element, self[middle]) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        insert(element, at: low)
    }
}
