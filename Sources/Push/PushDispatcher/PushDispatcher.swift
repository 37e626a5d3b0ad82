import APNsClient
import Foundation
import GameCore
public import GameStore
public import Logging
public import ServiceLifecycle
public import ServiceRuntime

/// Keeps every live activity's phone up to date: leases shards, tails their logs, sends what the cadence decides.
///
/// One loop owns everything it knows, so nothing is locked. An activity owes its device the newest state, never a
/// queue of updates; what it owes is decided by `PushRules` and `PushCadence`, rendered when it is sent, and written
/// down in batches behind a checkpoint that is fenced by the lease's epoch. After a crash the next holder starts at
/// the checkpoint: at most the pushes of one settle interval repeat, and none is lost.
public struct PushDispatcher: Service {
    /// For how many adventures cards are started at once: a few, since each asks the database a few questions.
    private static let wishesAtOnce = 8
    /// How many wishes wait for that at most.
    ///
    /// It is what a slow database answers in the minute that a wish holds, eight at once and a tenth of a second for
    /// each: what came after these would be too late when its turn comes.
    private static let mostWishes = 4_800

    /// How many leases are renewed, or given back, side by side, over a connection each of the lease store: PostgreSQL makes
    /// them durable together.
    ///
    /// With four, 256 leases take some 50 ms beside a database under load, and 0.7 s where the disk takes 10 ms for a commit.
    public static let leasesAtOnce = 4

    private let store: GameStore
    private let leaseStore: GameStore
    private let clients: [PushEnvironment: any PushSender]
    private let settings: DispatcherSettings
    private let runtime: Runtime
    private let wakeSignal: WakeSignal
    private let metrics: DispatcherMetrics
    private let logger: Logger

    /// A dispatcher on one node.
    /// - Parameters:
    ///   - store: where the log is.
    ///   - leaseStore: the same database over connections of its own that give up soon, so that leases are renewed whatever the
    ///     others wait for; nil for those of `store`.
    ///   - clients: who sends, by the environment of the token; activities of other environments are not followed.
    ///   - settings: leases, intervals and the cadence.
    ///   - runtime: clock and randomness.
    ///   - wakeSignal: rung by an engine in the same process; must be waited on by nobody else.
    ///   - metrics: what is counted.
    ///   - logger: for failures and refused pushes; tokens never reach it.
    public init(
        store: GameStore,
        leaseStore: GameStore? = nil,
        clients: [PushEnvironment: any PushSender],
        settings: DispatcherSettings,
        runtime: Runtime,
        wakeSignal: WakeSignal,
        metrics: DispatcherMetrics = DispatcherMetrics(),
        logger: Logger
    ) {
        self.store = store
        self.leaseStore = leaseStore ?? store
        self.clients = clients
        self.settings = settings
        self.runtime = runtime
        self.wakeSignal = wakeSignal
        self.metrics = metrics
        self.logger = logger
    }

    /// Sends until graceful shutdown or cancellation; then waits for the answers under way and for cards that are being
    /// started, at most the settings' drain limit, writes what was sent and gives the leases back.
    public func run() async {
        var generator = runtime.generator()
        let answers = AnswerBox()
        let routes = RouteBoard(of: clients, limits: settings.routeLimits, metrics: metrics, logger: logger)
        let (pushes, outgoing) = AsyncStream<OutgoingPush>.makeStream()
        let (wished, wishes) = AsyncStream<CardWish>.makeStream(bufferingPolicy: .bufferingOldest(Self.mostWishes))
        let loop = DispatchLoop(
            store: store,
            leaseStore: leaseStore,
            settings: settings,
            runtime: runtime,
            wakeSignal: wakeSignal,
            holder: UUID(version7At: runtime.now(), using: &generator),
            answers: answers,
            environments: Set(clients.keys),
            routes: routes,
            outgoing: outgoing,
            wishes: wishes,
            metrics: metrics,
            logger: logger
        )
        await withGracefulShutdownHandler {
            // All of these are shielded from cancellation, so that a stop still gets the answers, writes what was sent while
            // the leases last, and gives them back. The streams end after that.
            let sending = Task(executorPreference: runtime.executor) { await send(pushes, to: answers) }
            let granting = Task(executorPreference: runtime.executor) { await grant(wished, over: routes) }
            let renewing = Task(executorPreference: runtime.executor) { await renewLeases(of: loop) }
            while !Task.isShuttingDownGracefully, !Task.isCancelled {
                await loop.round()
                await wakeSignal.wait(atMost: await loop.pause, sleeping: runtime.sleep)
            }
            // What is not started by then never will be: asked for again, it would be too late.
            let limit = Task(executorPreference: runtime.executor) {
                // Ends early only when there is nothing left to cancel.
                try? await runtime.sleep(settings.drainLimit)
                granting.cancel()
            }
            await Task(executorPreference: runtime.executor) { await loop.drain() }.value
            renewing.cancel()
            outgoing.finish()
            wishes.finish()
            await sending.value
            await granting.value
            await renewing.value
            limit.cancel()
        } onGracefulShutdown: {
            wakeSignal.notify()
        }
    }

    private func renewLeases(of loop: DispatchLoop) async {
        while !Task.isCancelled {
            let start = runtime.uptime()
            let wait = await loop.renewLeases()
            // What it took counts, as leases may be many and commits slow. Ends early only by cancellation, which the loop's
            // condition sees.
            try? await runtime.sleep(max(.zero, wait - (runtime.uptime() - start)))
        }
    }

    private func send(_ pushes: AsyncStream<OutgoingPush>, to answers: AnswerBox) async {
        await withDiscardingTaskGroup { group in
            for await push in pushes {
                group.addTask {
                    let start = runtime.uptime()
                    let outcome = await outcome(of: push)
                    metrics.ended(push, outcome, took: runtime.uptime() - start, at: runtime.now())
                    answers.put(PushAnswer(push, outcome, report: report(of: push, outcome)))
                    wakeSignal.notify()
                }
            }
        }
    }

    private func grant(_ wishes: AsyncStream<CardWish>, over routes: RouteBoard) async {
        let starter = CardStarter(
            store: store,
            clients: clients,
            routes: routes,
            settings: settings,
            runtime: runtime,
            metrics: metrics,
            logger: logger
        )
        await withTaskGroup(of: Void.self) { group in
            var atOnce = 0
            for await wish in wishes {
                if atOnce == Self.wishesAtOnce {
                    await group.next()
                    atOnce -= 1
                }
                group.addTask { await starter.grant(wish) }
                atOnce += 1
            }
        }
    }

    /// What an operator who asked for a push is shown of it.
    private func report(of push: OutgoingPush, _ outcome: APNsOutcome) -> String? {
        guard push.askedAt != nil, let client = clients[push.environment] else { return nil }
        return PushReport(of: push.request, to: client.address, in: push.environment, outcome).json
    }

    private func outcome(of push: OutgoingPush) async -> APNsOutcome {
        guard let client = clients[push.environment] else {
            return .neverSent(.connection("nobody sends to the environment \(push.environment.rawValue)"))
        }
        return await client.send(push.request)
    }
}
