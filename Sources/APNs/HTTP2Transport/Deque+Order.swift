import DequeModule

extension Deque {
    /// Inserts an element into its place, in elements that are in order.
    ///
    /// Nearly all come after all others, and are appended.
    /// - Returns: its index.
    @discardableResult
    mutating func insert(_ element: Element, orderedBy precedes: (Element, Element) -> Bool) -> Int {
        guard let last, precedes(element, last) else {
            append(element)
            return endIndex - 1
        }
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
        return low
    }
}
