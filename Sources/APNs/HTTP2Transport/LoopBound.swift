/// A value that belongs to a loop's thread; other threads can only send it jobs.
///
/// `@unchecked Sendable` because the box takes sole ownership of the value (`sending`), and only jobs of the one loop
/// access it, one after another on one thread.
struct LoopBound<Value>: @unchecked Sendable {
    private let value: Value
    private let loop: EventLoop

    init(_ value: sending Value, on loop: EventLoop) {
        self.value = value
        self.loop = loop
    }

    /// Runs a job with the value on the loop's thread, after all previously posted jobs.
    func run(_ job: @escaping @Sendable (Value, Selector) -> Void) {
        loop.execute { selector in job(self.value, selector) }
    }
}
