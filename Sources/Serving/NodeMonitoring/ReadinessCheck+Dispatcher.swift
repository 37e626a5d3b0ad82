public import HTTPServing
public import PushDispatcher

extension ReadinessCheck {
    /// Returns a check of the dispatcher (`dispatcher`): whether it knows everything in the logs that it has read.
    public static func dispatcher(_ metrics: DispatcherMetrics) -> Self {
        Self("dispatcher") {
            metrics.leavesShards ? "The dispatcher leaves shards to nodes of a newer release of this program." : nil
        }
    }
}
