import Encodings
import GameCore

/// What goes wrong in a run, and for how long.
struct FaultPlan: Sendable {
    /// Whether anything does.
    let isCalm: Bool
    /// When nothing goes wrong any more.
    let end: Duration
    /// The time between two faults of a node, in milliseconds, at most.
    let spacing: Int
    /// How far a step of a clock goes, in milliseconds.
    let largestClockStep: Int

    /// The faults of a run, drawn by its world: one run in eight has none.
    init(drawnBy world: World) {
        isCalm = world.number(below: 8) == 0
        end = .seconds(20 + world.number(below: 30))
        spacing = 3_000 + 1_000 * world.number(below: 12)
        // The larger a step, the more it finds.
        largestClockStep = [0, 200, 2_000, 2_000][world.number(below: 4)]
    }

    /// Whether a fault happens that happens so many times in a thousand while faults do.
    func happens(inAThousand times: Int, in world: World) -> Bool {
        !isCalm && world.elapsed < end.wholeMicroseconds && world.happens(inAThousand: times)
    }
}

/// Lets go wrong what the plan says.
///
/// Unchecked but true: touched on the world's one thread only.
final class Faults: @unchecked Sendable {
    private let plan: FaultPlan
    private let world: World
    private let nodes: [SimulatedNode]
    private let database: MemoryDatabase
    private let apns: SimulatedAPNs
    /// Where somebody works on the database by hand.
    private let console: Place
    /// When something went wrong, in microseconds since the run began.
    private(set) var disturbances: [Int64] = []

    init(_ plan: FaultPlan, in world: World, nodes: [SimulatedNode], database: MemoryDatabase, apns: SimulatedAPNs) {
        self.plan = plan
        self.world = world
        self.nodes = nodes
        self.database = database
        self.apns = apns
        console = Place(in: world, named: "console")
    }

    /// From now on things go wrong, until the plan's end.
    func begin() {
        database.onDisturbance = { [weak self] in self?.disturb() }
        apns.onDisturbance = { [weak self] in self?.disturb() }
        guard !plan.isCalm else { return }
        apns.onSending = { [weak self] in self?.interrupt($0) }
        apns.onLostAnswer = { [weak self] in self?.crash(after: $0) }
        database.weather.slowInAThousand = [0, 5, 20][world.number(below: 3)]
        database.weather.brokenInAThousand = [0, 3, 15][world.number(below: 3)]
        apns.weather.queuedInAThousand = [0, 30][world.number(below: 2)]
        apns.weather.slowInAThousand = [0, 20, 100][world.number(below: 3)]
        apns.weather.brokenInAThousand = [0, 20, 100][world.number(below: 3)]
        apns.weather.lostInAThousand = [0, 20, 100][world.number(below: 3)]
        apns.weather.refusedInAThousand = [0, 20, 100][world.number(below: 3)]
        apns.weather.doubledInAThousand = [0, 50][world.number(below: 2)]
        world.after(plan.end) { self.cease() }
        next()
    }

    private func cease() {
        database.weather = MemoryDatabase.Weather()
        apns.weather = SimulatedAPNs.Weather()
    }

    /// Just as it is about to write a push a process stands still, and goes on when its lease is another's, or is asked to stop
    /// and soon begins anew, with what it has written down.
    private func interrupt(_ place: Place) {
        guard plan.happens(inAThousand: 40, in: world), let node = node(at: place) else { return }
        if world.number(below: 4) == 0 {
            freeze(node, for: world.duration(4_000...12_000))
        } else {
            restart(node, after: world.duration(50...500))
        }
    }

    /// Who hands over in good order has no excuse; a machine that starts again may have its clock set.
    private func restart(_ node: SimulatedNode, after pause: Duration) {
        node.restart(after: pause) { [weak self] in
            self?.disturb()
            self?.setClock(of: node)
        }
    }

    private func setClock(of node: SimulatedNode) {
        let step = world.number(below: 2 * plan.largestClockStep + 1) - plan.largestClockStep
        node.clock.error = .milliseconds(step)
        world.note("\(node.place.name) has its clock set to \(step) ms")
    }

    /// A process ends just after it has sent what it hears no more of.
    private func crash(after place: Place) {
        guard plan.happens(inAThousand: 150, in: world), let node = node(at: place) else { return }
        disturb()
        node.crash(for: world.duration(100...8_000))
    }

    private func node(at place: Place) -> SimulatedNode? { nodes.first { $0.place === place } }

    private func freeze(_ node: SimulatedNode, for pause: Duration) {
        disturb()
        node.freeze(for: pause)
        world.after(pause) { self.disturb() }
    }

    private func lockLease() {
        let shards = database.tables.leases.keys.sorted()
        let duration = world.duration(1_000...15_000)
        database.lockLease(of: shards[world.number(below: shards.count)], from: console, for: duration)
        world.after(duration) { self.disturb() }
    }

    private func disturb() { disturbances.append(world.elapsed) }

    private func next() {
        world.after(world.duration(500...plan.spacing)) {
            guard self.world.elapsed < self.plan.end.wholeMicroseconds else { return }
            self.strike()
            self.next()
        }
    }

    private func strike() {
        let node = nodes[world.number(below: nodes.count)]
        let kind = world.number(below: 15)
        if kind < 13 { disturb() }
        switch kind {
        case 0..<4:
            // Between any two steps: the place counts them.
            let pause = world.duration(100...8_000)
            node.place.before(jobNumber: world.number(below: 200)) { [self] in
                disturb()
                node.crash(for: pause)
            }
        case 4..<6:
            let pause = world.duration(500...12_000)
            node.place.before(jobNumber: world.number(below: 200)) { [self] in freeze(node, for: pause) }
        case 6..<8:
            database.crash()
            database.weather.isDown = true
            world.after(world.duration(100...6_000)) { [self] in
                disturb()
                database.weather.isDown = false
            }
        case 8..<10:
            apns.weather.isDown = true
            world.after(world.duration(500...10_000)) { [self] in apns.weather.isDown = false }
        case 10..<12:
            setClock(of: node)
        case 12:
            lockLease()
        default:
            restart(node, after: world.duration(100...4_000))
        }
    }
}
