import Testing

@testable import HTTP2Transport

struct RequestQueueTests {
    private let start = ContinuousClock.now

    /// Returns requests with these `sendBy` times and deadlines ten seconds after the start.
    private func requests(sendBy times: [Duration?]) -> [PendingRequest] {
        let batch = RequestBatch { _ in }
        return times.enumerated().map { number, time in
            var request = HTTP2ClientRequest(method: "POST", path: "/")
            request.sendBy = time.map { start + $0 }
            return PendingRequest(
                request,
                number: number,
                submittedAt: start,
                deadline: start + .seconds(10),
                receiver: .batch(batch, number)
            )
        }
    }

    private func queue(_ requests: [PendingRequest]) -> RequestQueue {
        requests.reduce(into: RequestQueue()) { $0.insert($1) }
    }

    @Test func `requests leave in order, even after they were returned`() {
        let requests = self.requests(sendBy: [nil, .seconds(1), nil])
        var queue = self.queue(requests)
        #expect(queue.count == 3)
        #expect(queue.popFirst() === requests[0])
        #expect(queue.popFirst() === requests[1])
        queue.insert(requests[0])
        queue.insert(requests[1])
        for request in requests { #expect(queue.popFirst() === request) }
        #expect(queue.isEmpty)
        #expect(queue.nextTime == nil)
    }

    @Test func `a request deep in the queue expires at its sendBy time`() {
        let requests = self.requests(sendBy: [nil, .seconds(3), .seconds(1), nil])
        var queue = self.queue(requests)
        #expect(queue.nextTime == start + .seconds(1))
        #expect(queue.removeExpired(at: start + .milliseconds(999)).isEmpty)

        let late = queue.removeExpired(at: start + .seconds(1))
        #expect(late.map(ObjectIdentifier.init) == [ObjectIdentifier(requests[2])])
        #expect(queue.nextTime == start + .seconds(3))

        #expect(
            queue.removeExpired(at: start + .seconds(3)).map(ObjectIdentifier.init) == [ObjectIdentifier(requests[1])]
        )
        #expect(queue.nextTime == start + .seconds(10))
        #expect(queue.removeExpired(at: start + .seconds(10)).count == 2)
        #expect(queue.isEmpty)
    }

    @Test func `close sendBy times are handled by one search`() {
        let times = (1...20).map { Duration.milliseconds($0) }
        var queue = self.queue(self.requests(sendBy: [nil] + times))
        #expect(queue.removeExpired(at: start + .milliseconds(1)).count == 1)
        #expect(queue.nextTime == start + .milliseconds(11))
        #expect(queue.removeExpired(at: start + .milliseconds(10)).isEmpty)
        #expect(queue.removeExpired(at: start + .milliseconds(11)).count == 10)
    }

    @Test func `the time of a removed request wakes the queue once without effect`() {
        var queue = self.queue(self.requests(sendBy: [.seconds(1), nil]))
        _ = queue.popFirst()
        #expect(queue.nextTime == start + .seconds(1))
        #expect(queue.removeExpired(at: start + .seconds(1)).isEmpty)
        #expect(queue.nextTime == start + .seconds(10))
    }
}
