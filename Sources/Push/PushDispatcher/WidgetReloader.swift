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
/// It runs beside the dispatcher's loop, for the shards that the node has leased, so that the nodes share the work. Each
/// push is claimed in the device's row before it is sent, so one node sends it, and a crash loses it. A push without an
/// answer, or that APNs rejects for a while, is repeated when the device's next push is possible; until then it reports
/// further changes, too.
struct WidgetReloader: Sendable {
    /// The time between two searches for due pushes, which may wait, unlike those to Live Activities.
    private static let interval = Duration.seconds(5)
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
    /// The maximum number of pushes claimed, and so in flight, per shard.
    var batch = 100

    /// Sends pushes as they become due, until its task is cancelled.
    /// - Parameters:
    ///   - shards: returns the shards that the node has leased.
    ///   - now: returns the database's clock.
    func run(for shards: @Sendable () async -> [Shard], now: @Sendable () -> Timestamp) async {
        // The sleep throws only on cancellation.
        while (try? await runtime.sleep(Self.interval)) != nil { await sendDue(of: await shards(), at: now()) }
    }

    /// Sends all pushes of some shards that are due, except those that circuit breakers stop.
    func sendDue(of shards: [Shard] = Shard.all, at now: Timestamp) async {
        guard !shards.isEmpty else { return }
        var due: [Backlog] = []
        for environment in clients.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            do {
                due += try await store.shardsWithDueWidgets(among: shards, in: environment, at: now)
                    .map { Backlog(shard: $0, environment: environment) }
            } catch {
                log(error)
            }
        }
        // In turns of a batch each, so that none waits for the end of a long one.
        while !due.isEmpty, !Task.isCancelled { due = await sendBatches(of: due, at: now) }
    }

    /// The due pushes of a shard to one environment.
    private struct Backlog {
        let shard: Shard
        let environment: PushEnvironment
    }

    /// - Returns: the backlogs that may have more.
    private func sendBatches(of due: [Backlog], at now: Timestamp) async -> [Backlog] {
        await withTaskGroup(of: Backlog?.self) { group in
            var rest: [Backlog] = []
            for (index, backlog) in due.enumerated() {
                if index >= Self.maxConcurrentShards, let more = await group.next() ?? nil { rest.append(more) }
                group.addTask { await sendBatch(of: backlog, at: now) ? backlog : nil }
            }
            for await case let more? in group { rest.append(more) }
            return rest
        }
    }

    /// - Returns: whether the backlog may have more.
    private func sendBatch(of backlog: Backlog, at now: Timestamp) async -> Bool {
        let (environment, uptime) = (backlog.environment, runtime.uptime())
        // While the circuit breaker is open, one push is its probe.
        let isOpen = breakers.open(at: uptime)[environment] != nil
        guard !isOpen || breakers.tryAcquire(environment, for: .unknown, at: uptime) else { return false }
        let limit = isOpen ? 1 : batch
        // Shielded from cancellation, so that a stop loses no push that is claimed.
        let claimed = await Task(executorPreference: runtime.executor) {
            await send(atMost: limit, of: backlog.shard, in: environment, at: now)
        }.value
        return claimed == limit
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
        let outcome = await client.send(request, within: settings.answerLimit, in: runtime)
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
