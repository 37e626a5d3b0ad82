import APNsClient
import Encodings
import Foundation
public import GameCore
public import GameStore
import Instrumentation
public import Logging
import PushCadence
import PushDispatch
public import ServiceLifecycle
public import ServiceRuntime
import Tracing

/// Keeps the phones of all live activities up to date: leases shards, follows their logs and clocks, plays the
/// timelines, and sends the pushes that the cadence plans.
///
/// One loop owns the state of all followed activities, so it needs no locks. The newest state of an adventure is
/// pending for an activity, never a queue of updates. `PushRules` and `PushCadence` decide which pushes are pending; a
/// state is rendered when it is sent. Results are flushed in batches, fenced by the epoch of the lease: for each
/// activity the moment up to which it is acknowledged. After a crash the next holder plays the timelines again and
/// continues from there: at most the pushes of one flush interval are repeated, and none is lost.
public struct PushDispatcher: Service {
    /// The number of start requests processed concurrently: few, since each needs several queries.
    private static let maxConcurrentStarts = 8
    /// The number of pieces of work for ordinary alerts done concurrently; most need one query, and send nothing.
    private static let maxConcurrentAlerts = 8
    /// The maximum number of start requests, and of pieces of work for ordinary alerts, that wait.
    ///
    /// It is the number that a slow database can process in the minute for which a request is valid, eight at a time
    /// and a tenth of a second for each. Requests beyond it would be too late when their turn comes.
    private static let maxStartRequests = 4_800
    /// The maximum number of requests for activities of raids that wait: as many as one node passes on, fifty in a second,
    /// in the quarter of an hour for which a request is valid.
    private static let maxRaidRequests = 45_000

    /// The number of connections of the lease store that the dispatcher uses: one to renew its presence, and one to look
    /// for unleased shards.
    public static let leaseConnections = 2

    let store: GameStore
    let leaseStore: GameStore
    let clients: [PushEnvironment: any PushSender]
    let settings: DispatcherSettings
    let runtime: Runtime
    let wakeSignal: WakeSignal
    let metrics: DispatcherMetrics
    let logger: Logger

    /// Creates the dispatcher of a node.
    /// - Parameters:
    ///   - store: the database.
    ///   - leaseStore: the same database over separate connections with short timeouts, so that the renewal of presence
    ///     never waits for other queries; nil for the connections of `store`.
    ///   - clients: the APNs clients by environment; activities of other environments are not followed.
    ///   - settings: the settings.
    ///   - runtime: the clock, sleep and randomness.
    ///   - wakeSignal: notified by an engine in the same process; only the dispatcher waits for it.
    ///   - metrics: the metrics.
    ///   - logger: the logger for failures and rejected pushes; it never gets tokens.
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

    /// Runs until graceful shutdown or cancellation.
    ///
    /// Afterwards it waits for pushes in flight and activities that are being started, at most for the drain limit;
    /// then it flushes the shards and releases the leases.
    public func run() async {
        let (pushes, outgoing) = AsyncStream<[OutgoingPush]>.makeStream()
        let (starts, startRequests) = AsyncStream<StartRequest>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.maxStartRequests)
        )
        let (raidStarts, raidRequests) = AsyncStream<DelayedStart>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.maxRaidRequests)
        )
        let (alerts, alertWork) = AsyncStream<AlertWork>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.maxStartRequests)
        )
        let loop = DispatchLoop(of: self, sending: outgoing, requesting: startRequests, alerting: alertWork)
        await withGracefulShutdownHandler {
            // These tasks are shielded from cancellation, so that a stop still gets the outcomes of pushes in flight,
            // flushes while the leases last, and releases them. The streams end afterwards.
            let sending = Task(executorPreference: runtime.executor) { await submit(pushes, of: loop) }
            let sender = fallbackSender(of: loop)
            let starting = Task(executorPreference: runtime.executor) {
                await process(starts, of: loop, with: sender, delaying: raidRequests)
            }
            let pacing = Task(executorPreference: runtime.executor) { await pace(raidStarts, to: startRequests) }
            let alerting = Task(executorPreference: runtime.executor) { await process(alerts, with: sender) }
            let renewing = Task(executorPreference: runtime.executor) { await renew(loop.presence) }
            let acquiring = Task(executorPreference: runtime.executor) { await acquireShards(of: loop) }
            let reloading = Task(executorPreference: runtime.executor) { await reloadWidgets(of: loop) }
            let reacting = Task(executorPreference: runtime.executor) { await react(in: loop) }
            while !Task.isShuttingDownGracefully, !Task.isCancelled {
                let start = runtime.uptime()
                await loop.runPollCycle()
                let pause = await loop.pause
                // Poll cycles take half of the time at most, unless the loop is behind: where much happens, each of them
                // finds more. A cancelled sleep ends the loop.
                let rest = min(runtime.uptime() - start, pause)
                if rest > .zero { try? await runtime.sleep(rest) }
                await wakeSignal.wait(atMost: pause - rest, sleeping: runtime.sleep)
            }
            reacting.cancel()
            pacing.cancel()
            reloading.cancel()
            acquiring.cancel()
            await reacting.value
            await pacing.value
            await acquiring.value
            // Starts and ordinary alerts that are not sent within the drain limit are abandoned.
            let limit = Task(executorPreference: runtime.executor) {
                // The sleep is cancelled only after all of them have ended.
                try? await runtime.sleep(settings.drainLimit)
                starting.cancel()
                alerting.cancel()
            }
            await Task(executorPreference: runtime.executor) { await loop.drain() }.value
            renewing.cancel()
            outgoing.finish()
            startRequests.finish()
            alertWork.finish()
            await sending.value
            await starting.value
            await alerting.value
            await renewing.value
            await reloading.value
            limit.cancel()
        } onGracefulShutdown: {
            wakeSignal.notify()
        }
    }

    /// Handles the outcomes of pushes and what time makes due, also while a poll cycle waits for the database.
    private func react(in loop: DispatchLoop) async {
        while !Task.isCancelled {
            await loop.react()
            await loop.completedPushes.signal.wait(atMost: await loop.reactionPause, sleeping: runtime.sleep)
        }
    }

    private func renew(_ presence: Presence) async {
        while !Task.isCancelled {
            let start = runtime.uptime()
            let wait = await presence.renew()
            // The duration of the renewal is subtracted, since it may be slow. A cancelled sleep ends the loop.
            try? await runtime.sleep(max(.zero, wait - (runtime.uptime() - start)))
        }
    }

    private func acquireShards(of loop: DispatchLoop) async {
        while !Task.isCancelled {
            let wait = await loop.acquireShards()
            // A cancelled sleep ends the loop.
            try? await runtime.sleep(wait)
        }
    }

    private func submit(_ batches: AsyncStream<[OutgoingPush]>, of loop: DispatchLoop) async {
        for await batch in batches {
            let start = runtime.uptime()
            let spans = InstrumentationSystem.tracer is NoOpTracer ? [] : batch.map { $0.startSpan() }
            await sender(for: batch[0].environment).submit(batch.map(\.request)) { outcomes in
                let completed = outcomes.map { index, outcome in
                    let push = batch[index]
                    if !spans.isEmpty { spans[index].end(with: outcome) }
                    return CompletedPush(push, outcome, report: report(of: push, outcome))
                }
                metrics.completed(completed, took: runtime.uptime() - start, at: loop.presence.now)
                loop.completedPushes.put(completed)
            }
        }
    }

    private func process(
        _ requests: AsyncStream<StartRequest>,
        of loop: DispatchLoop,
        with sender: FallbackSender,
        delaying raidRequests: AsyncStream<DelayedStart>.Continuation
    ) async {
        let starter = ActivityStarter(
            store: store,
            clients: clients,
            breakers: loop.breakers,
            settings: settings,
            runtime: runtime,
            metrics: metrics,
            presence: loop.presence,
            onStart: { await loop.spendStart($0) },
            logger: logger
        )
        await process(requests, concurrently: Self.maxConcurrentStarts) { request in
            guard let candidates = await starter.read(request) else { return }
            switch request.occasion {
            case .adventureStarted:
                // Before the starts, which may wait for APNs.
                let hasAlertDevices = await sender.findDevices(of: candidates.stored)
                await starter.start(candidates)
                if hasAlertDevices { await sender.alertStart(of: candidates.stored) }
                if candidates.isRaidAwaited { delay(request.ofRaid, in: raidRequests) }
            case .activityEndsSoon:
                await starter.start(candidates)
            case .raidJoined:
                if await starter.start(candidates) { delay(request, in: raidRequests) }
            }
        }
    }

    /// A request for activities of a raid, which waits.
    private struct DelayedStart: Sendable {
        let request: StartRequest
        let dueAt: ContinuousClock.Instant
    }

    private func delay(_ request: StartRequest, in queue: AsyncStream<DelayedStart>.Continuation) {
        let dueAt = runtime.uptime() + settings.policy.pushToStart.raidDelay
        if case .dropped = queue.yield(DelayedStart(request: request, dueAt: dueAt)) { logDropped(request) }
    }

    /// Passes on the requests for activities of raids once they are due, each some time after the last one: starts of
    /// adventures come between them.
    ///
    /// All wait equally long, so the first one is due first.
    private func pace(
        _ waiting: AsyncStream<DelayedStart>,
        to startRequests: AsyncStream<StartRequest>.Continuation
    ) async {
        for await start in waiting {
            let wait = max(settings.policy.pushToStart.raidSpacing, start.dueAt - runtime.uptime())
            // The sleep throws only on cancellation. The node stops then, and the rest is abandoned.
            guard (try? await runtime.sleep(wait)) != nil else { return }
            if case .dropped = startRequests.yield(start.request) { logDropped(start.request) }
        }
    }

    private func logDropped(_ request: StartRequest) {
        logger.error(
            "a start request of a raid was dropped: the queue is full",
            metadata: ["adventure": "\(request.adventureID)"]
        )
    }

    private func process(_ work: AsyncStream<AlertWork>, with sender: FallbackSender) async {
        await process(work, concurrently: Self.maxConcurrentAlerts) { work in
            switch work {
            case .findDevices(let id, let player): await sender.findDevices(of: id, for: [player])
            case .send(let request): await sender.process(request)
            }
        }
    }

    private func fallbackSender(of loop: DispatchLoop) -> FallbackSender {
        FallbackSender(
            store: store,
            clients: clients,
            breakers: breakers(for: .alerts),
            settings: settings,
            runtime: runtime,
            metrics: metrics,
            presence: loop.presence,
            onAlertDevices: { await loop.noteAlertDevices(of: $0) },
            logger: logger
        )
    }

    private func process<Request: Sendable>(
        _ requests: AsyncStream<Request>,
        concurrently limit: Int,
        _ work: @escaping @Sendable (Request) async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for await request in requests {
                if running == limit {
                    await group.next()
                    running -= 1
                }
                group.addTask { await work(request) }
                running += 1
            }
        }
    }

    private func breakers(for topic: PushTopic) -> CircuitBreakers {
        CircuitBreakers(of: clients, for: topic, limits: settings.breakerLimits, metrics: metrics, logger: logger)
    }

    private func reloadWidgets(of loop: DispatchLoop) async {
        let reloader = WidgetReloader(
            store: store,
            clients: clients,
            breakers: breakers(for: .widgets),
            settings: settings,
            runtime: runtime,
            metrics: metrics,
            logger: logger
        )
        await reloader.run(for: { await loop.heldShards }, now: { loop.presence.now })
    }

    /// Returns the report of a requested push for its operator.
    private func report(of push: OutgoingPush, _ outcome: APNsOutcome) -> String? {
        guard push.order.requestPosition != nil, let client = clients[push.environment] else { return nil }
        return PushReport(of: push.request, to: client.address, in: push.environment, outcome).json
    }

    private func sender(for environment: PushEnvironment) -> any PushSender {
        guard let client = clients[environment] else {
            preconditionFailure("activities of environments without a client are not followed")
        }
        return client
    }
}
