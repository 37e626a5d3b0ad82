import GameCore
package import GameEngine
import GameStore
import Logging
import PostgresClient
import PushDispatcher
import ServiceRuntime

/// A machine that runs one process of the service at a time: the real engine, dispatcher, award worker, raid worker and
/// commands.
package final class SimulatedNode {
    private let world: SimulatedWorld
    private let database: MemoryDatabase
    private let apns: SimulatedAPNs
    private let settings: SimulationSettings
    private let hasRaids: Bool
    private let number: Int
    /// The processes so far, the current one last.
    private var processes: [Process] = []
    private var runsEngine = true
    private var isShutDown = false
    /// The time by which the dispatcher's wall clock is ahead of the true time; restarts do not change it.
    package let clockError = WorldBound(Duration.zero)
    /// The time by which the wall clock of engine and commands is ahead, as if they ran on another machine: it decides
    /// nothing in the game, so it may be off by hours.
    package let gameClockError = WorldBound(Duration.zero)

    /// The versions of the rules that the next process knows: an older one stands for the program before an upgrade.
    var versions: Versions

    /// The versions of a process, which stands for a dispatcher's and an API's with engine, on different machines.
    struct Versions: Equatable {
        var dispatcher = RulesVersion.newest
        var game = RulesVersion.newest
    }

    /// One process from its start to its end.
    private struct Process {
        let host: SimulatedHost
        let versions: Versions
        let commands: GameCommands
        let store: GameStore
        let engine: Task<Void, Never>?
        let dispatcher: Task<Void, Never>
        let awardWorker: Task<Void, Never>
        let raidWorker: Task<Void, Never>?

        /// Asks the process to stop.
        func cancel() {
            engine?.cancel()
            dispatcher.cancel()
            awardWorker.cancel()
            raidWorker?.cancel()
        }
    }

    /// Creates a node and starts its first process.
    ///
    /// Without raids it looks for none, so that a run without them is as cheap as before.
    init(
        number: Int,
        in world: SimulatedWorld,
        database: MemoryDatabase,
        apns: SimulatedAPNs,
        settings: SimulationSettings,
        versions: Versions,
        hasRaids: Bool
    ) {
        self.world = world
        self.database = database
        self.apns = apns
        self.settings = settings
        self.number = number
        self.versions = versions
        self.hasRaids = hasRaids
        startProcess()
    }

    private var process: Process { processes[processes.count - 1] }

    /// The host of the current process.
    package var host: SimulatedHost { process.host }
    /// The commands of the current process, as its API runs them.
    package var commands: GameCommands { process.commands }
    /// The store of the current process, as its API reads it.
    var store: GameStore { process.store }
    /// Whether the process runs, that is, has not crashed and is not frozen.
    package var isRunning: Bool { !host.isStopped }

    /// Whether engine and commands of the current process know a version of the rules.
    func knows(_ version: RulesVersion) -> Bool { process.versions.game >= version }

    /// Whether the current process has the versions that the node should have.
    var isUpToDate: Bool { process.versions == versions }

    /// Kills the process between two jobs and starts another one after a pause.
    package func crash(for pause: Duration) {
        guard isRunning else { return }
        world.log("\(host.name) crashes")
        host.stop()
        database.disconnect(host)
        world.after(pause) { if !self.isShutDown { self.startProcess() } }
    }

    /// Asks the process to shut down gracefully, and starts another one a pause after its end.
    /// - Parameters:
    ///   - pause: the time between the processes.
    ///   - onEnd: called when the process has shut down; not called if it crashed before.
    package func restart(after pause: Duration, onEnd: @escaping () -> Void) {
        guard isRunning else { return }
        let (host, dispatcher) = (process.host, process.dispatcher)
        world.log("\(host.name) is asked to stop")
        process.cancel()
        let finish = WorldBound { [self] in
            guard host === self.host, isRunning else { return }
            onEnd()
            crash(for: pause)
        }
        // Ends with the dispatcher, which drains for a few seconds at most, or with the process.
        Task(executorPreference: host) {
            await dispatcher.value
            finish.value()
        }
    }

    /// Stops the process for `pause`, as SIGSTOP and SIGCONT would; the process is not notified.
    package func freeze(for pause: Duration) {
        guard isRunning else { return }
        let host = host
        world.log("\(host.name) freezes")
        host.stop()
        world.after(pause) { [self] in
            // Another process may have started in the meantime.
            guard host === self.host else { return }
            world.log("\(host.name) resumes")
            host.resume()
        }
    }

    /// Stops the engine and keeps later processes from starting one; the dispatcher continues.
    package func stopEngine() {
        process.engine?.cancel()
        process.raidWorker?.cancel()
        runsEngine = false
    }

    /// Ends every process of this node, so that its memory is freed.
    ///
    /// Database and APNs must be closed.
    package func shutDown() {
        isShutDown = true
        for process in processes {
            process.cancel()
            process.host.release()
        }
    }

    private func startProcess() {
        let name = "node \(number).\(processes.count + 1)"
        let host = SimulatedHost(in: world, named: name, clockError: clockError)
        world.log("\(host.name) starts")
        let logger = Logger(label: host.name) { _ in SwiftLogNoOpLogHandler() }
        let gameRuntime = Runtime(of: host, in: world, clockError: gameClockError)
        let pool = PostgresPool(standIn: database.connector(from: host), logger: logger)
        func makeStore(knowing version: RulesVersion) -> GameStore {
            let queue = ShardQueue(uptime: gameRuntime.uptime, sleep: gameRuntime.sleep)
            var store = GameStore(pool: pool, queue: queue)
            store.version = version
            return store
        }
        let store = makeStore(knowing: versions.game)
        let wakeSignal = WakeSignal()
        let engine = GameEngine(store: store, runtime: gameRuntime, wakeSignal: wakeSignal, logger: logger)
        let dispatcher = PushDispatcher(
            store: versions.dispatcher == versions.game ? store : makeStore(knowing: versions.dispatcher),
            clients: [.simulator: apns.sender(from: host)],
            settings: settings.dispatcher,
            runtime: Runtime(of: host, in: world),
            wakeSignal: wakeSignal,
            logger: logger
        )
        let commands = GameCommands(store: store, settings: settings.game, runtime: gameRuntime, wakeSignal: wakeSignal)
        let awardWorker = AwardWorker(commands: commands, logger: logger)
        let raidWorker = RaidWorker(store: store, runtime: gameRuntime, wakeSignal: wakeSignal, logger: logger)
        let runsRaids = hasRaids && runsEngine && versions.game >= .raids
        processes.append(
            Process(
                host: host,
                versions: versions,
                commands: commands,
                store: store,
                // The node owns the tasks and ends them in `shutDown`.
                engine: runsEngine ? Task(executorPreference: host) { await engine.runUntilCancelled() } : nil,
                dispatcher: Task(executorPreference: host) { await dispatcher.run() },
                awardWorker: Task(executorPreference: host) { await awardWorker.runUntilCancelled(in: gameRuntime) },
                raidWorker: runsRaids
                    ? Task(executorPreference: host) { await raidWorker.runUntilCancelled() } : nil
            )
        )
    }
}
