/// Outcomes that are known and not told yet, on the loop's thread.
///
/// They are told together at the end of a turn: each task that goes on may want this core, and would get it in the
/// middle of what the turn has to do.
final class OutcomeQueue {
    private var batches: [RequestBatch] = []
    private var tasks: [(awaiter: OutcomeAwaiter, outcome: HTTP2Outcome)] = []

    /// To be called exactly once for each request.
    func add(_ outcome: consuming HTTP2Outcome, of request: PendingRequest) {
        request.settle()
        switch request.asker {
        case .batch(let batch, let index):
            if batch.settle(index, outcome) { batches.append(batch) }
        case .task(let awaiter):
            tasks.append((awaiter, outcome))
        }
    }

    /// Tells all, those who asked for many first.
    func tell() {
        // What is told may lead to more, which waits for its own turn.
        let (batches, tasks) = (batches, tasks)
        self.batches = []
        self.tasks = []
        for batch in batches { batch.report() }
        guard !tasks.isEmpty else { return }
        // Each resumption from here would wake a thread of Swift's pool, and perhaps lose this one its core to it. A job
        // of the pool's own resumes them all on a thread that is awake already. It has nothing to wait for, so that it
        // needs nobody who waits for it; the tasks that it resumes do.
        Task {
            for (awaiter, outcome) in tasks { awaiter.tell(outcome) }
        }
    }
}
