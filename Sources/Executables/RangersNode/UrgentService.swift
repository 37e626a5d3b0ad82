import ServiceLifecycle

/// Runs a service at a higher priority than the rest of the process, so that what the game and the phones wait for does
/// not queue behind requests.
struct UrgentService<Wrapped: Service>: Service {
    let wrapped: Wrapped

    /// Creates a service that runs another one.
    init(_ wrapped: Wrapped) {
        self.wrapped = wrapped
    }

    /// Runs the service until it ends.
    func run() async throws {
        let task = Task(priority: .high) { try await wrapped.run() }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
