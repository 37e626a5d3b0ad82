import RangersMetrics
import Synchronization
import Testing

struct SharedReadingTests {
    /// A source whose reads wait until the test provides a value.
    private final class Source: Sendable {
        private let reads: AsyncStream<CheckedContinuation<Int?, Never>>
        private let started: AsyncStream<CheckedContinuation<Int?, Never>>.Continuation
        private let count = Mutex(0)

        init() {
            (reads, started) = AsyncStream.makeStream()
        }

        var readCount: Int { count.withLock { $0 } }

        func read() async -> Int? {
            count.withLock { $0 += 1 }
            return await withCheckedContinuation { started.yield($0) }
        }

        /// Waits for the next read.
        func next() async -> CheckedContinuation<Int?, Never> {
            for await read in reads { return read }
            preconditionFailure("the stream never finishes")
        }
    }

    /// A manual clock, with timeouts that the test triggers.
    private final class ManualClock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        private let timeouts: AsyncStream<CheckedContinuation<Void, Never>>
        private let scheduled: AsyncStream<CheckedContinuation<Void, Never>>.Continuation

        init() {
            (timeouts, scheduled) = AsyncStream.makeStream()
        }

        var now: ContinuousClock.Instant { time.withLock { $0 } }
        func advance(by duration: Duration) { time.withLock { $0 += duration } }
        func sleep() async { await withCheckedContinuation { scheduled.yield($0) } }

        /// Waits for the next timeout to be scheduled, and triggers it.
        func triggerTimeout() async {
            for await timeout in timeouts { return timeout.resume() }
        }
    }

    private func reading(_ source: Source, _ clock: ManualClock) -> SharedReading<Int> {
        SharedReading(
            interval: .seconds(1),
            limit: .seconds(3),
            now: { clock.now },
            sleep: { _ in
                await clock.sleep()
                try Task.checkCancellation()
            },
            read: { await source.read() }
        )
    }

    @Test func `concurrent callers share one read, and its value is cached for the interval`() async {
        let (source, clock) = (Source(), ManualClock())
        let reading = reading(source, clock)
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<50 { group.addTask { await reading.value } }
            await source.next().resume(returning: 7)
            for await value in group { #expect(value == 7) }
        }
        clock.advance(by: .milliseconds(999))
        #expect(await reading.value == 7)
        #expect(source.readCount == 1)

        clock.advance(by: .milliseconds(1))
        async let newer = reading.value
        await source.next().resume(returning: 8)
        #expect(await newer == 8)
        #expect(source.readCount == 2)
        // Late timeouts change nothing.
        await clock.triggerTimeout()
        await clock.triggerTimeout()
        #expect(await reading.value == 8)
    }

    @Test func `no caller waits beyond the limit, and no read starts before a late one has ended`() async {
        let (source, clock) = (Source(), ManualClock())
        let reading = reading(source, clock)
        async let first = reading.value
        let read = await source.next()
        await clock.triggerTimeout()
        #expect(await first == nil)
        clock.advance(by: .seconds(60))
        #expect(await reading.value == nil)
        #expect(source.readCount == 1)

        read.resume(returning: 9)
        // A late value is used as soon as it is available.
        var value: Int?
        while value == nil {
            value = await reading.value
            await Task.yield()
        }
        #expect(value == 9)
        #expect(source.readCount == 1)
        // The next read has its own timeout.
        clock.advance(by: .seconds(60))
        async let next = reading.value
        await source.next().resume(returning: 10)
        #expect(await next == 10)
        await clock.triggerTimeout()
    }

    @Test func `a missing value is cached, too`() async {
        let (source, clock) = (Source(), ManualClock())
        let reading = reading(source, clock)
        async let value = reading.value
        await source.next().resume(returning: nil)
        #expect(await value == nil)
        #expect(await reading.value == nil)
        #expect(source.readCount == 1)
        await clock.triggerTimeout()
    }
}
