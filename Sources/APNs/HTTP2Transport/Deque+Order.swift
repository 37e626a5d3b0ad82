import DequeModule

extension Deque {
    /// Inserts an element into a sorted deque.
    ///
    /// Optimized for elements that belong at the end.
    /// - Returns: the index of the element.
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
