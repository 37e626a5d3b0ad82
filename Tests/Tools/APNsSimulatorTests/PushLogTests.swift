import Testing

@testable import APNsSimulator

@Suite struct PushLogTests {
    private func log(of count: Int, capacity: Int) -> PushLog {
        var log = PushLog(capacity: capacity)
        for _ in 0..<count {
            _ = log.append { number in
                PushLog.Entry(
                    number: number,
                    time: moment(0),
                    phoneID: nil,
                    activityID: nil,
                    priority: nil,
                    event: nil,
                    timestamp: nil,
                    apnsID: "",
                    headers: [],
                    size: 0,
                    status: 200,
                    reason: nil,
                    reaction: nil,
                    budgetLeft: nil,
                    alert: nil,
                    payload: PushLog.Payload([])
                )
            }
        }
        return log
    }

    @Test func `entries are numbered from 1 and read from any number on`() {
        let log = log(of: 5, capacity: 10)
        #expect(log.entries(after: 0, limit: 10).map(\.number) == [1, 2, 3, 4, 5])
        #expect(log.entries(after: 3, limit: 10).map(\.number) == [4, 5])
        #expect(log.entries(after: 1, limit: 2).map(\.number) == [2, 3])
        #expect(log.entries(after: .max, limit: 10).isEmpty)
        #expect(log.entries(after: .min, limit: 1).map(\.number) == [1])
        #expect(log.entries(after: 5, limit: 10).isEmpty)
        #expect(log.entries(after: 99, limit: 10).isEmpty)
    }

    @Test(arguments: 1...40)
    func `a full log drops the oldest entry only`(count: Int) {
        var log = log(of: count, capacity: 4)
        let numbers = log.entries(after: 0, limit: .max).map(\.number)
        #expect(numbers == Array(max(1, count - 3)...count))
        let isKept = log.updateReaction(1, .shown, activityID: nil, at: moment(1)) != nil
        #expect(isKept == (count <= 4), "a dropped entry is not updated")
        #expect(log.lastNumber == count)
    }
}
