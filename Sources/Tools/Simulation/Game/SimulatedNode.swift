import GameCore
package import GameEngine
import GameStore
import Logging
import PostgresClient
import PushDispatcher
import ServiceRuntime

/// One process of the service, in a place of its own: engine, dispatcher and commands, as they are.
///
/// Unchecked but true: like its world it is touched on the world's one thread only.
package final class SimulatedNode: @unchecked Sendable {
    private let world: World
    private let database: MemoryDatabase
    private let apns: SimulatedAPNs
    private let settings: SimulationSettings
    private let number: Int
    private var starts = 1
    private var life: Life
    private var past: [Life] = []
    private var isBuried = false
    /// The machine's wall clock, which stays when the process starts again.
    package let clock = MachineClock()

    /// One process from its start to its end.
    private struct Life {
        let place: Place
        let commands: GameCommands
        var engine: Task<Void, Never>?
        var dispatcher: Task<Void, Never>?
    }

    /// A node that runs from now on.
    package init(
        number: Int,
        in world: World,
        on database: MemoryDatabase,
        pushingTo apns: SimulatedAPNs,
        settings: SimulationSettings
    ) {
        self.world = world
        self.database = database
        self.apns = apns
        self.settings = settings
        self.number = number
        life = Self.begin(number, 1, in: world, on: database, pushingTo: apns, settings: settings, clock: clock)
    }

    /// Where its tasks run now.
    package var place: Place { life.place }
    /// What its API runs.
    package var commands: GameCommands { life.commands }
    /// Whether it runs: neither crashed nor held.
    package var isRunning: Bool { !life.place.isStopped }

    /// The process ends between two steps, and begins anew after a while.
    package func crash(for pause: Duration) {
        guard isRunning else { return }
        world.note("\(place.name) crashes")
        place.stop()
        database.lost(place)
        past.append(life)
        world.after(pause) { self.start() }
    }

    /// The process is asked to stop, hands over in good order, and begins anew after a while.
    /// - Parameters:
    ///   - pause: how long it is gone.
    ///   - onEnd: called when it ends, unless it was gone before.
    package func restart(after pause: Duration, onEnd: @escaping @Sendable () -> Void) {
        guard isRunning else { return }
        let life = life
        world.note("\(place.name) is asked to stop")
        life.engine?.cancel()
        life.dispatcher?.cancel()
        // Ends with the dispatcher, which drains for some seconds at most, or with the process.
        Task(executorPreference: life.place) { [self] in
            await life.dispatcher?.value
            guard life.place === place, isRunning else { return }
            onEnd()
            crash(for: pause)
        }
    }

    /// The process stands still for a while, and does not notice.
    package func freeze(for pause: Duration) {
        guard isRunning else { return }
        let place = place
        world.note("\(place.name) freezes")
        place.stop()
        world.after(pause) { [self] in
            // Unless it is another process by now.
            guard place === self.place else { return }
            world.note("\(place.name) goes on")
            place.goOn()
        }
    }

    /// Nothing is played any more; the phones are still told.
    package func stopPlaying() {
        life.engine?.cancel()
        settings.isPlaying = false
    }

    /// Everything that ever ran here comes to its end, and is freed: the database and APNs must be closed.
    package func bury() {
        isBuried = true
        for life in past + [life] {
            life.engine?.cancel()
            life.dispatcher?.cancel()
            life.place.goOn()
        }
    }

    private func start() {
        guard !isBuried else { return }
        starts += 1
        life = Self.begin(
            number,
            starts,
            in: world,
            on: database,
            pushingTo: apns,
            settings: settings,
            clock: clock
        )
    }

    private static func begin(
        _ number: Int,
        _ start: Int,
        in world: World,
        on database: MemoryDatabase,
        pushingTo apns: SimulatedAPNs,
        settings: SimulationSettings,
        clock: MachineClock
    ) -> Life {
        let place = Place(in: world, named: "node \(number).\(start)", clock: clock)
        world.note("\(place.name) starts")
        let logger = Logger(label: place.name) { _ in SwiftLogNoOpLogHandler() }
        let runtime = Runtime(of: world, at: place) { clock.error }
        let store = GameStore(pool: PostgresPool(standIn: database.door(from: place), logger: logger))
        let wakeSignal = WakeSignal()
        let engine = GameEngine(
            store: store,
            settings: settings.game,
            runtime: runtime,
            wakeSignal: wakeSignal,
            logger: logger
        )
        let dispatcher = PushDispatcher(
            store: store,
            clients: [.simulator: apns.sender(from: place)],
            settings: settings.dispatcher,
            runtime: runtime,
            wakeSignal: wakeSignal,
            logger: logger
        )
        let commands = GameCommands(store: store, settings: settings.game, runtime: runtime, wakeSignal: wakeSignal)
        var life = Life(place: place, commands: commands)
        // Owned by the node, which ends them in `bury`; the dispatcher throws nothing.
        if settings.isPlaying {
            life.engine = Task(executorPreference: place) { await engine.playUntilCancelled() }
        }
        life.dispatcher = Task(executorPreference: place) { await dispatcher.run() }
        return life
    }
}

/// How far a machine's clock is ahead of the true time.
///
/// Unchecked but true: touched on its world's one thread only.
package final class MachineClock: @unchecked Sendable {
    package var error = Duration.zero

    package init() {}
}
