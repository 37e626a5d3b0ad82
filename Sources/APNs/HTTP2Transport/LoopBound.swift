/// Something that belongs to a loop's thread, held by others who may only send it jobs.
///
/// `@unchecked Sendable` because the value is given away when the box is made (`sending`) and from then on is
/// reached only inside jobs of the one loop, which run one after another on one thread.
struct LoopBound<Value>: @unchecked Sendable {
    private let value: Value
    private let loop: EventLoop

    init(_ value: sending Value, on loop: EventLoop) {
        self.value = value
        self.loop = loop
    }

    /// Runs a job with the value on the loop's thread, after those that were posted before.
    func run(_ job: @escaping @Sendable (Value, Selector) -> Void) {
        loop.execute { selector in job(self.value, selector) }
    }
}
