import APNsClient
import Encodings
import Foundation
public import GameCore
public import GameStore
public import Logging
import PushDispatch
public import ServiceLifecycle
public import ServiceRuntime

/// Keeps the broadcast channels of APNs: creates those that owners need, broadcasts to them, and deletes those that are over.
///
/// One dispatcher at a time keeps the channels of an environment. When it dies, another one takes over within seconds and
/// compares the channels with APNs' list first, so that no channel is left behind.
public struct ChannelKeeper: Service {
    /// The maximum number of channels of an environment by default.
    public static let maxChannels = ChannelReconciliation.maxChannels
    /// The time between two searches for channels that APNs has to create or delete.
    private static let interval = Duration.seconds(1)
    /// The time between two renewals of the keeping.
    private static let renewalInterval = Duration.seconds(3)

    private let loops: [(channels: EnvironmentChannels, sources: [ChannelSource])]
    private let runtime: Runtime

    /// Creates the keeper of a node.
    /// - Parameters:
    ///   - store: the database.
    ///   - clients: the APNs clients by environment.
    ///   - bundleID: the bundle identifier of the app.
    ///   - sources: returns the states of each kind of owner, for one environment. Without any, channels that this service
    ///     does not know are counted and not deleted: another service of the app may use them.
    ///   - maxChannels: the maximum number of channels of an environment.
    ///   - runtime: the clock, sleep and randomness.
    ///   - metrics: the metrics.
    ///   - logger: the logger for failures and leftovers.
    public init(
        store: GameStore,
        clients: [PushEnvironment: any ChannelSender],
        bundleID: String,
        sources: () -> [ChannelSource],
        maxChannels: Int = Self.maxChannels,
        runtime: Runtime,
        metrics: DispatcherMetrics = DispatcherMetrics(),
        logger: Logger
    ) {
        // The settings accept no other identifiers.
        self.loops =
            BundleID(bundleID).map { bundleID in
                clients.map { environment, client in
                    let ofEnvironment = sources()
                    let channels = EnvironmentChannels(
                        environment: environment,
                        store: store,
                        client: ChannelClient(client: client, bundleID: bundleID, metrics: metrics),
                        limit: maxChannels,
                        runtime: runtime,
                        metrics: metrics,
                        logger: logger,
                        deletesUnknown: !ofEnvironment.isEmpty
                    )
                    return (channels: channels, sources: ofEnvironment)
                }
            } ?? []
        self.runtime = runtime
    }

    /// Runs until graceful shutdown or cancellation, and then lets another dispatcher take over.
    public func run() async { await cancelWhenGracefulShutdown { await runUntilCancelled() } }

    /// Runs until cancellation, and then lets another dispatcher take over.
    package func runUntilCancelled() async {
        await withDiscardingTaskGroup { group in
            for (channels, sources) in loops {
                group.addTask { await repeating(every: Self.renewalInterval) { await channels.renew() } }
                group.addTask { await repeating(every: Self.interval) { await channels.keep() } }
                // Many channels of one kind, or a failure, do not delay those of another.
                for source in sources {
                    let broadcaster = ChannelBroadcaster(channels: channels, source: source)
                    group.addTask { await broadcast(with: broadcaster) }
                }
            }
        }
        // Shielded, since the task may be cancelled.
        await Task(executorPreference: runtime.executor) { for loop in loops { await loop.channels.release() } }.value
    }

    private func broadcast(with broadcaster: ChannelBroadcaster) async {
        await withDiscardingTaskGroup { sends in
            while !Task.isCancelled {
                let wait = await broadcaster.broadcast { send in sends.addTask { await send() } }
                // A cancelled sleep ends the loop.
                try? await runtime.sleep(wait)
            }
        }
    }

    private func repeating(every interval: Duration, _ work: () async -> Void) async {
        while !Task.isCancelled {
            await work()
            // A cancelled sleep ends the loop.
            try? await runtime.sleep(interval)
        }
    }
}
