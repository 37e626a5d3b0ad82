import DequeModule
import Testing

@testable import HTTP2Transport

struct DequeOrderTests {
    @Test(arguments: [[1, 2, 3], [3, 2, 1], [5, 6, 7, 2, 1, 3, 8, 4], [2, 9, 1, 9, 3, 2]])
    func `elements inserted in any order are sorted`(numbers: [Int]) {
        var deque: Deque<Int> = []
        for number in numbers { deque.insert(number, orderedBy: <) }
        #expect(Array(deque) == numbers.sorted())
    }
}
