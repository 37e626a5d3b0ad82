import Testing

@testable import HTTP2Transport

struct RequestQueueTests {
    private let start = ContinuousClock.now

    /// Requests with those times to send by, whose deadlines are ten seconds after the start.
    private func requests(sendBy times: [Duration?]) -> [PendingRequest] {
        let batch = RequestBatch(count: times.count) { _ in }
        return times.enumerated().map { number, time in
            var request = HTTP2ClientRequest(method: "POST", path: "/")
            request.sendBy = time.map { start + $0 }
            return PendingRequest(
                request,
                number: number,
                deadline: start + .seconds(10),
                asker: .batch(batch, number)
            )
        }
    }

    private func queue(_ requests: [PendingRequest]) -> RequestQueue {
        requests.reduce(into: RequestQueue()) { $0.insert($1) }
    }

    @Test func `requests leave in the order of coming, also after they were put back`() {
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

    @Test func `a request deep in the queue is found when its time to send by has come`() {
        let requests = self.requests(sendBy: [nil, .seconds(3), .seconds(1), nil])
        var queue = self.queue(requests)
        #expect(queue.nextTime == start + .seconds(1))
        #expect(queue.expired(at: start + .milliseconds(999)).isEmpty)

        let late = queue.expired(at: start + .seconds(1))
        #expect(late.map(ObjectIdentifier.init) == [ObjectIdentifier(requests[2])])
        #expect(queue.nextTime == start + .seconds(3))

        #expect(queue.expired(at: start + .seconds(3)).map(ObjectIdentifier.init) == [ObjectIdentifier(requests[1])])
        #expect(queue.nextTime == start + .seconds(10))
        #expect(queue.expired(at: start + .seconds(10)).count == 2)
        #expect(queue.isEmpty)
    }

    @Test func `times that follow each other closely are looked for together`() {
        let times = (1...20).map { Duration.milliseconds($0) }
        var queue = self.queue(self.requests(sendBy: [nil] + times))
        #expect(queue.expired(at: start + .milliseconds(1)).count == 1)
        #expect(queue.nextTime == start + .milliseconds(11))
        #expect(queue.expired(at: start + .milliseconds(10)).isEmpty)
        #expect(queue.expired(at: start + .milliseconds(11)).count == 10)
    }

    @Test func `the time of a request that has gone wakes once and for nothing`() {
        var queue = self.queue(self.requests(sendBy: [.seconds(1), nil]))
        _ = queue.popFirst()
        #expect(queue.nextTime == start + .seconds(1))
        #expect(queue.expired(at: start + .seconds(1)).isEmpty)
        #expect(queue.nextTime == start + .seconds(10))
    }
}
