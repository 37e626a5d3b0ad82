import ServiceLifecycle

/// Lets the phones notice that time has passed: that a card is stale, that eight hours are over, that an alert is old.
struct WallClock: Service {
    /// How often they look: people see no delay, and ten thousand phones cost a few milliseconds a second.
    private static let interval = Duration.milliseconds(250)

    let simulation: Simulation

    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                simulation.letTimePass()
                // Only the end wakes it early, and the loop sees that.
                try? await Task.sleep(for: Self.interval)
            }
        }
    }
}
