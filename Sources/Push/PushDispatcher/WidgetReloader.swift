import APNsClient
import Encodings
import Foundation
import GameCore
import GameStore
import Logging
import PushCadence
import PushDispatch
import RangersMetrics
import ServiceRuntime

/// Reloads the widgets of devices by push, when what they show has changed.
///
/// It runs beside the dispatcher's loop and needs no lease: each push is claimed in the device's row before it is sent, so
/// one node sends it, and a crash loses it. A push without an answer, or that APNs rejects for a while, is repeated when
/// the device's next push is possible; until then it reports further changes, too.
struct WidgetReloader: Sendable {
    /// The time between two searches for due pushes, which may wait, unlike those to Live Activities.
    private static let interval = Duration.seconds(5)
    /// The maximum number of pushes claimed, and so in flight, per shard.
    private static let batch = 100
    /// The number of shards whose pushes are sent concurrently.
    private static let maxConcurrentShards = 4

    /// The payload of every push (Apple, "Updating widgets with WidgetKit push notifications").
    static let payload = Array(#"{"aps":{"content-changed":true}}"#.utf8)

    let store: GameStore
    let clients: [PushEnvironment: any PushSender]
    let breakers: CircuitBreakers
    let settings: DispatcherSettings
    let runtime: Runtime
    let metrics: DispatcherMetrics
    let logger: Logger

    /// Sends pushes as they become due, until its task is cancelled.
    /// - Parameter now: returns the database's clock.
    func run(now: @Sendable () -> Timestamp) async {
        // The sleep throws only on cancellation.
        while (try? await runtime.sleep(Self.interval)) != nil { await sendDue(at: now()) }
    }

    /// Sends all pushes that are due, except those that circuit breakers stop.
    func sendDue(at now: Timestamp) async {
        for environment in clients.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            do {
                let shards = try await store.shardsWithDueWidgets(in: environment, at: now)
                await withTaskGroup(of: Void.self) { group in
                    for (index, shard) in shards.enumerated() {
                        if index >= Self.maxConcurrentShards { await group.next() }
                        group.addTask { await sendDue(of: shard, in: environment, at: now) }
                    }
                }
            } catch {
                log(error)
            }
        }
    }

    private func sendDue(of shard: Shard, in environment: PushEnvironment, at now: Timestamp) async {
        while !Task.isCancelled {
            let uptime = runtime.uptime()
            // While the circuit breaker is open, one push is its probe.
            let isOpen = breakers.open(at: uptime)[environment] != nil
            guard !isOpen || breakers.tryAcquire(environment, for: .unknown, at: uptime) else { return }
            let limit = isOpen ? 1 : Self.batch
            // Shielded from cancellation, so that a stop loses no push that is claimed.
            let claimed = await Task(executorPreference: runtime.executor) {
                await send(atMost: limit, of: shard, in: environment, at: now)
            }.value
            guard claimed == limit else { return }
        }
    }

    /// - Returns: the number of pushes claimed.
    private func send(
        atMost limit: Int,
        of shard: Shard,
        in environment: PushEnvironment,
        at now: Timestamp
    ) async -> Int {
        do {
            let claimed = try await store.claimWidgetPushes(
                in: shard,
                environment,
                at: now,
                next: now + settings.policy.widgetSpacing,
                limit: limit
            )
            await withDiscardingTaskGroup { group in
                for push in claimed { group.addTask { await send(push, in: environment, at: now) } }
            }
            return claimed.count
        } catch {
            log(error)
            return 0
        }
    }

    private func send(_ push: WidgetPush, in environment: PushEnvironment, at now: Timestamp) async {
        // The API accepts no other tokens.
        guard let client = clients[environment], let token = DeviceToken(bytes: push.token) else { return }
        let request = APNsPush(
            deviceToken: token,
            topic: settings.widgetTopic,
            pushType: .widgets,
            priority: .low,
            // Later pushes tell a device that was off meanwhile.
            expirationEpochSeconds: (now + settings.policy.widgetSpacing).epochSeconds,
            id: UUID(named: Array("\(push.playerID)/\(push.deviceID)/widgets/\(now.microseconds)".utf8)),
            payload: Self.payload
        )
        let outcome = await client.send(request)
        metrics.pushes.add(to: PushLabels(request.priority, .widgets, outcome))
        let answer = PushAnswer(outcome)
        let classification = breakers.classify(answer, for: push.token, .unknown, in: environment, at: runtime.uptime())
        do {
            switch answer {
            case .accepted: break
            case .unanswered, .neverSent: try await store.repeatWidgetPush(push)
            case .rejected(let rejection):
                logger.info(
                    "APNs rejected a push to widgets",
                    metadata: [
                        "player": "\(push.playerID)", "device": "\(push.deviceID)", "id": "\(request.id.lowercaseText)",
                        "reason": "\(rejection.reason)",
                    ]
                )
                switch rejection.remedy {
                case .forgetToken where classification == .credible:
                    try await store.removeWidgetToken(of: push)
                    metrics.forgottenTokens.add(to: .widgets)
                case .forgetToken, .retry, .pause: try await store.repeatWidgetPush(push)
                case .drop: break
                }
            }
        } catch {
            log(error)
        }
    }

    private func log(_ error: any Error) {
        // The node stops.
        if error.isCancellation { return }
        metrics.failures.add()
        logger.error("widgets could not be reloaded", metadata: ["error": "\(error)"])
    }
}
