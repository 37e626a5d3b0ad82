/// Outcomes that are not yet delivered, on the loop's thread.
///
/// All outcomes of a turn are delivered at its end, because a resumed task may take over this core and interrupt the
/// turn.
final class OutcomeQueue {
    private var batches: [RequestBatch] = []
    private var tasks: [(awaiter: OutcomeAwaiter, outcome: HTTP2Outcome)] = []

    /// Adds the outcome of a request; called exactly once for each.
    func add(_ outcome: consuming HTTP2Outcome, of request: PendingRequest) {
        request.markCompleted()
        switch request.receiver {
        case .batch(let batch, let index):
            if batch.complete(index, outcome) { batches.append(batch) }
        case .task(let awaiter):
            tasks.append((awaiter, outcome))
        }
    }

    /// Delivers all outcomes, those of batches first.
    func deliver() {
        // A delivery may add further outcomes, which wait for the next one.
        let (batches, tasks) = (batches, tasks)
        self.batches = []
        self.tasks = []
        var parts: [(receive: RequestBatch.Receiver, outcomes: [(index: Int, outcome: HTTP2Outcome)])] = []
        for batch in batches {
            if batch.resumesTasks { parts.append((batch.receive, batch.take())) } else { batch.receive(batch.take()) }
        }
        guard !tasks.isEmpty || !parts.isEmpty else { return }
        // Each resumption on this thread would wake a thread of Swift's pool, which might take over this core. One task
        // in the pool resumes all of them instead. The task does not suspend, so nothing has to await it.
        Task { [parts] in
            for (receive, outcomes) in parts { receive(outcomes) }
            for (awaiter, outcome) in tasks { awaiter.resume(outcome) }
        }
    }
}
