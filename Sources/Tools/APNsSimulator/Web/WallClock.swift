import ServiceLifecycle

/// Advances the wall's time: activities become stale or reach the eight-hour limit, and alerts end.
struct WallClock: Service {
    /// The interval of updates: not noticeable to people, and a few milliseconds of work a second for ten thousand
    /// phones.
    private static let interval = Duration.milliseconds(250)

    let simulator: SimulatorState

    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                simulator.advanceTime()
                // The sleep ends early only on cancellation, which the loop checks.
                try? await Task.sleep(for: Self.interval)
            }
        }
    }
}
