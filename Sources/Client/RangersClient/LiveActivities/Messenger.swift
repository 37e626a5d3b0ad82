/// Carries out what a ``LetterBox`` decides.
struct Messenger<Content: Sendable> {
    private enum Input: Sendable {
        case posted(Content)
        case noMoreToSay
        case attemptEnded(LetterBox<Content>.Outcome)
        case pauseEnded
    }

    private typealias Inputs = AsyncStream<Input>.Continuation

    /// How pauses grow; what is to be said is said for as long as it holds, so that ``RetryPolicy/patience`` counts for
    /// nothing here.
    let retryPolicy: RetryPolicy
    let clock: any Clock<Duration>
    let randomBits: @Sendable () -> UInt64
    /// Sends a letter once.
    let attempt: @Sendable (Content, IdempotencyKey) async throws -> Void
    /// Hears why a letter will not be delivered.
    let onRefusal: @Sendable (any Error) -> Void

    /// Delivers the newest of what there is to say, until the last is delivered, there is no more, or the task is
    /// cancelled.
    func deliver(
        _ contents: some AsyncSequence<Content, Never> & Sendable,
        isLast: @Sendable (Content) -> Bool
    ) async {
        // It holds what ActivityKit tells, a handful in hours, and one end of an attempt or of a pause.
        let (inputs, input) = AsyncStream.makeStream(of: Input.self)
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await content in contents { input.yield(.posted(content)) }
                input.yield(.noMoreToSay)
            }
            var box = LetterBox<Content>()
            var hasMoreToSay = true
            deliveries: for await event in inputs {
                let action: LetterBox<Content>.Action
                switch event {
                case .posted(let content):
                    let key = IdempotencyKey(randomBits: randomBits)
                    action = box.posted(.init(content: content, key: key, isLast: isLast(content)))
                case .noMoreToSay:
                    hasMoreToSay = false
                    action = .nothing
                case .attemptEnded(let outcome): action = box.attemptEnded(outcome)
                case .pauseEnded: action = box.pauseEnded()
                }
                switch action {
                case .send(let letter):
                    group.addTask { input.yield(.attemptEnded(await outcome(of: letter))) }
                case .pause(let failures, let retryAfter):
                    let pause = pause(afterFailures: failures, retryAfter: retryAfter)
                    group.addTask {
                        // Who is cancelled needs no pause.
                        try? await clock.sleep(for: pause)
                        input.yield(.pauseEnded)
                    }
                case .finish: break deliveries
                case .nothing: break
                }
                if !hasMoreToSay, box.isIdle { break deliveries }
            }
            group.cancelAll()
        }
    }

    private func pause(afterFailures failures: Int, retryAfter: Duration?) -> Duration {
        (retryAfter ?? .zero) + retryPolicy.jitter(afterFailures: failures, randomBits: randomBits())
    }

    private func outcome(of letter: LetterBox<Content>.Letter) async -> LetterBox<Content>.Outcome {
        do {
            try await attempt(letter.content, letter.key)
            return .delivered
        } catch let error as RangersError where error.mayPass {
            return .failed(retryAfter: error.retryAfter)
        } catch {
            if !(error is CancellationError) { onRefusal(error) }
            return .refused
        }
    }
}
