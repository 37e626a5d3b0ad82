import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import Logging
import PostgresClient
import PushDispatch
import PushDispatcher
import ServiceRuntime

/// A run of the keepers of broadcast channels alone: two nodes with the real ``ChannelKeeper``, the in-memory database and a
/// model of APNs' channels.
///
/// Owners come and go, more of them than may have channels, and the node that works is killed between any two of its steps.
/// Then the faults stop, and the channels of APNs must be those of the rows; at the end all owners are over, and none may be
/// left.
package final class ChannelRun {
    /// The result of a run.
    package struct Result: Sendable {
        /// What did not hold of invariant 10.
        package fileprivate(set) var violations: [InvariantViolation] = []
        /// How often a node was killed.
        package fileprivate(set) var kills = 0
        /// The number of channels that APNs has created.
        package fileprivate(set) var channels = 0
        /// What happened, a line for each event; empty unless the trace keeps them.
        package fileprivate(set) var lines: [String] = []

        /// Creates the result of no run.
        package init() {}
    }

    private struct Process {
        let host: SimulatedHost
        let keeper: Task<Void, Never>
    }

    /// The number of channels that the keepers may create.
    private static let limit = 6
    private static let environment = PushEnvironment.simulator
    /// More than the time in which a request that was sent before is over.
    private static let requestTime = Duration.seconds(20)
    /// The time in which everything is as it should be once faults have stopped: some comparisons with APNs' list, and the
    /// longest waits.
    private static let convergenceTime = Duration.seconds(900)
    private static let maxTime = Duration.seconds(7_200)

    private let world: SimulatedWorld
    private let database: MemoryDatabase
    private let apns: SimulatedChannels
    private let kills: Int
    private var generator: SeededGenerator
    /// All processes so far, and those that run, by their nodes.
    private var processes: [Process] = []
    private var running: [Int: Process] = [:]
    /// The states of the owners.
    private let owners = WorldBound<[UUID: ChannelBroadcast]>([:])
    private var haveFaultsStopped = false
    private var result = Result()

    private init(seed: UInt64, defect: Defect?, kills: Int, keepsLines: Bool) {
        world = SimulatedWorld(seed: seed, keepsTrace: keepsLines)
        database = MemoryDatabase(in: world, shards: [], defect: defect)
        apns = SimulatedChannels(in: world, defect: defect)
        generator = SeededGenerator(seed: seed)
        self.kills = kills
    }

    /// Runs to the end, on this thread, which must not run a task.
    /// - Parameters:
    ///   - seed: the seed, which determines everything.
    ///   - defect: the defect to inject.
    ///   - kills: how often a node is killed.
    ///   - keepsLines: whether the run describes what happens.
    /// - Returns: the result.
    package static func run(
        seed: UInt64,
        defect: Defect? = nil,
        kills: Int = 20,
        keepsLines: Bool = false
    ) -> Result {
        ChannelRun(seed: seed, defect: defect, kills: kills, keepsLines: keepsLines).run()
    }

    private func run() -> Result {
        database.conditions.brokenInAThousand = [0, 3, 15][world.number(below: 3)]
        for node in 1...2 { start(node) }
        play()
        scheduleKill()
        world.run(until: Self.maxTime) { haveFaultsStopped }
        precondition(haveFaultsStopped, "nodes that run can be killed")
        settle()
        report("after the faults")
        for (id, state) in owners.value where !state.isFinal { owners.value[id] = state.next(isFinal: true) }
        wait { rows.isEmpty && apns.ids.isEmpty }
        report("after the owners")
        if apns.maxCount > Self.limit {
            note("APNs had \(apns.maxCount) channels, more than the limit of \(Self.limit)")
        }
        for violation in database.tables.violations { note(violation) }
        result.channels = apns.createdCount
        result.lines = world.trace.lines
        close()
        return result
    }

    // MARK: - Owners

    private var openOwners: [UUID] { owners.value.filter { !$0.value.isFinal }.keys.sorted() }

    /// Changes the owners' states each second, and starts and ends some.
    private func play() {
        let open = openOwners
        if !haveFaultsStopped {
            if open.count < Self.limit + 3, world.happens(inAThousand: 150) {
                let id = UUID(version7At: world.now, using: &generator)
                owners.value[id] = ChannelBroadcast(version: 1, stage: 0, isFinal: false)
            }
            if world.happens(inAThousand: 10) { apns.loseChannel() }
        }
        for id in open {
            let isFinal = !haveFaultsStopped && world.happens(inAThousand: 20)
            guard isFinal || world.happens(inAThousand: 300), let state = owners.value[id] else { continue }
            owners.value[id] = state.next(isFinal: isFinal)
        }
        world.after(.seconds(1)) { self.play() }
    }

    private var source: ChannelSource {
        let owners = owners
        return ChannelSource(of: .raid, storing: .noMessage) { _ in
            let contents = owners.value.sorted { $0.key < $1.key }.map { id, state in
                ChannelContent(of: id, state, contentState: Array("{}".utf8), alert: nil)
            }
            return ChannelContents(contents)
        }
    }

    // MARK: - Nodes

    private func start(_ node: Int) {
        let host = SimulatedHost(in: world, named: "node \(node).\(processes.count + 1)")
        world.log("\(host.name) starts")
        let logger = Logger(label: host.name) { _ in SwiftLogNoOpLogHandler() }
        let keeper = ChannelKeeper(
            store: GameStore(pool: PostgresPool(standIn: database.connector(from: host), logger: logger)),
            clients: [Self.environment: apns.sender(from: host)],
            bundleID: "com.example.rangers",
            sources: { [source] },
            maxChannels: Self.limit,
            runtime: Runtime(of: host, in: world),
            logger: logger
        )
        // The run ends the task in `close`.
        let process = Process(host: host, keeper: Task(executorPreference: host) { await keeper.runUntilCancelled() })
        processes.append(process)
        running[node] = process
    }

    private func scheduleKill() {
        world.after(world.duration(5_000...25_000)) { [self] in
            guard result.kills < kills else { return stopFaults() }
            let worker = running.first { $0.value.host === apns.lastSender }?.key
            kill(worker ?? 1 + world.number(below: 2), before: world.number(below: 60))
            scheduleKill()
        }
    }

    /// Kills the process of a node before one of its next jobs, and starts another one after a pause.
    private func kill(_ node: Int, before jobs: Int) {
        guard let host = running[node]?.host else { return }
        host.beforeJob(after: jobs) { [self] in
            guard !haveFaultsStopped else { return }
            world.log("\(host.name) is killed")
            result.kills += 1
            running[node] = nil
            host.stop()
            database.disconnect(host)
            world.after(world.duration(100...5_000)) { self.start(node) }
        }
    }

    // MARK: - The end

    private func stopFaults() {
        world.log("faults stop")
        haveFaultsStopped = true
        database.conditions = MemoryDatabase.Conditions()
        apns.hasFaults = false
        // The others may all have a channel.
        for id in openOwners.dropFirst(Self.limit - 1) { owners.value[id] = owners.value[id]?.next(isFinal: true) }
    }

    private var rows: [(key: ChannelTables.Key, value: ChannelTables.ChannelRow)] {
        database.tables.channels.list(in: Self.environment.rawValue)
    }

    /// Runs until each open owner has a channel, and nothing else is at APNs.
    private func settle() {
        world.run(until: .microseconds(world.elapsed) + Self.requestTime)
        wait {
            let rows = rows
            return Set(rows.compactMap(\.value.channelID)) == apns.ids && rows.map(\.key.owner).sorted() == openOwners
                && rows.allSatisfy { ["created", "live"].contains($0.value.state) }
        }
    }

    /// Runs until a condition holds, for ``convergenceTime`` at most.
    private func wait(for isDone: () -> Bool) {
        let end = world.elapsed + Self.convergenceTime.wholeMicroseconds
        while !isDone(), world.elapsed < end { world.run(until: .microseconds(world.elapsed) + .seconds(1)) }
    }

    /// Reports what differs between the rows, APNs and the owners.
    private func report(_ phase: String) {
        let rows = rows
        let open = Set(openOwners)
        let known = Set(rows.compactMap(\.value.channelID))
        for id in apns.ids.subtracting(known).sorted() { note("\(phase), APNs has \(id), which no row has") }
        for id in known.subtracting(apns.ids).sorted() { note("\(phase), a row has \(id), which APNs does not have") }
        for (key, row) in rows where !open.contains(key.owner) || !["created", "live"].contains(row.state) {
            note("\(phase), the channel of \(key.owner) is \(row.state)")
        }
        for id in open.subtracting(rows.map(\.key.owner)).sorted() { note("\(phase), \(id) has no channel") }
    }

    private func note(_ finding: String) {
        result.violations.append(InvariantViolation(invariant: 10, finding: finding))
    }

    /// Ends every task, so that the memory of the run is freed.
    private func close() {
        database.close()
        apns.close()
        for process in processes {
            process.keeper.cancel()
            process.host.release()
        }
        world.run(until: .microseconds(world.elapsed) + Self.convergenceTime)
        world.close()
    }
}

extension ChannelBroadcast {
    /// Returns the next state of the same owner.
    fileprivate func next(isFinal: Bool) -> Self {
        Self(version: version + 1, stage: stage, isFinal: isFinal)
    }
}
