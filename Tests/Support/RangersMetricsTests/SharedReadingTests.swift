import RangersMetrics
import Synchronization
import Testing

@Suite struct SharedReadingTests {
    /// Where questions wait for their answers.
    private final class Answerer: Sendable {
        private let questions: AsyncStream<CheckedContinuation<Int?, Never>>
        private let ask: AsyncStream<CheckedContinuation<Int?, Never>>.Continuation
        private let count = Mutex(0)

        init() {
            (questions, ask) = AsyncStream.makeStream()
        }

        var asked: Int { count.withLock { $0 } }

        func answer() async -> Int? {
            count.withLock { $0 += 1 }
            return await withCheckedContinuation { ask.yield($0) }
        }

        /// The next question, when it has come.
        func next() async -> CheckedContinuation<Int?, Never> {
            for await question in questions { return question }
            preconditionFailure("the stream is never finished")
        }
    }

    /// A clock that stands until it is moved, and alarms that ring when they are told to.
    private final class Hands: Sendable {
        private let moment = Mutex(ContinuousClock.now)
        private let alarms: AsyncStream<CheckedContinuation<Void, Never>>
        private let set: AsyncStream<CheckedContinuation<Void, Never>>.Continuation

        init() {
            (alarms, set) = AsyncStream.makeStream()
        }

        var now: ContinuousClock.Instant { moment.withLock { $0 } }
        func advance(by duration: Duration) { moment.withLock { $0 += duration } }
        func sleep() async { await withCheckedContinuation { set.yield($0) } }

        /// Rings the next alarm, when it is set.
        func ring() async {
            for await alarm in alarms { return alarm.resume() }
        }
    }

    private func reading(_ answerer: Answerer, _ hands: Hands) -> SharedReading<Int> {
        SharedReading(
            interval: .seconds(1),
            limit: .seconds(3),
            now: { hands.now },
            sleep: { _ in
                await hands.sleep()
                try Task.checkCancellation()
            },
            read: { await answerer.answer() }
        )
    }

    @Test func `all who ask at once share one question, and its answer is good for a while`() async {
        let (answerer, hands) = (Answerer(), Hands())
        let reading = reading(answerer, hands)
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<50 { group.addTask { await reading.value } }
            await answerer.next().resume(returning: 7)
            for await value in group { #expect(value == 7) }
        }
        hands.advance(by: .milliseconds(999))
        #expect(await reading.value == 7)
        #expect(answerer.asked == 1)

        hands.advance(by: .milliseconds(1))
        async let newer = reading.value
        await answerer.next().resume(returning: 8)
        #expect(await newer == 8)
        #expect(answerer.asked == 2)
        // Their alarms ring although nobody waits: they change nothing.
        await hands.ring()
        await hands.ring()
        #expect(await reading.value == 8)
    }

    @Test func `nobody waits beyond the limit, and who hangs is not asked again before it has answered`() async {
        let (answerer, hands) = (Answerer(), Hands())
        let reading = reading(answerer, hands)
        async let first = reading.value
        let question = await answerer.next()
        await hands.ring()
        #expect(await first == nil)
        hands.advance(by: .seconds(60))
        #expect(await reading.value == nil)
        #expect(answerer.asked == 1)

        question.resume(returning: 9)
        // Its late answer is as good as any once it is there; until then there is none.
        var value: Int?
        while value == nil {
            value = await reading.value
            await Task.yield()
        }
        #expect(value == 9)
        #expect(answerer.asked == 1)
        // Its alarm has rung; that of the next question is its own.
        hands.advance(by: .seconds(60))
        async let next = reading.value
        await answerer.next().resume(returning: 10)
        #expect(await next == 10)
        await hands.ring()
    }

    @Test func `that there is no answer is an answer`() async {
        let (answerer, hands) = (Answerer(), Hands())
        let reading = reading(answerer, hands)
        async let value = reading.value
        await answerer.next().resume(returning: nil)
        #expect(await value == nil)
        #expect(await reading.value == nil)
        #expect(answerer.asked == 1)
        await hands.ring()
    }
}
