import GameCore
import GameStore
import PrivatePostgres
import ServiceRuntime

/// Looks at everything that could grow.
actor SoakObserver {
    /// What retention empties, so that it must come to an end of its growth.
    private static let sweptTables: Set = [
        "activities", "activity_decisions", "adventure_inputs", "events", "idempotency_keys",
    ]
    /// What keeps an outline of everything that was played.
    private static let otherTables: Set = ["adventures", "parties", "players"]
    private static let bytesPerMebibyte = 1_048_576.0

    private let world: ChaosWorld
    private let store: GameStore
    /// How many parties come and go.
    private let guests: Int
    private let start = ContinuousClock.now
    private(set) var series = SoakSeries()
    private var last: (at: ContinuousClock.Instant, ticks: Double?, pushes: Int)?
    /// By node: the last of its processes that said something.
    private var processes: [Int: Int32] = [:]

    init(_ world: ChaosWorld, guests: Int) {
        self.world = world
        self.guests = guests
        store = world.database.store()
    }

    /// Looks once.
    /// - Returns: what was seen, on one line.
    func look() async throws -> String {
        var readings: [(figure: SoakFigure, value: Double)] = []
        var ticks: Double? = 0
        for node in world.nodes {
            let reading = await node.patientReading()
            if let reading { processes[node.number] = reading.process }
            // What one node does not say is missing from the sum.
            ticks = ticks.flatMap { sum in reading.map { sum + $0.ticks } }
        }
        var looks = processes.sorted { $0.key < $1.key }.map { ("rangersd \($0.key + 1)", $0.value, true) }
        looks.append(("apns-simulator", world.simulatorProgram.identifier, false))
        for (name, process, isOurs) in looks {
            guard let figures = ProcessFigures(of: process) else { continue }
            readings.append((.memory(of: name, isJudged: isOurs), figures.residentMebibytes))
            readings.append((.descriptors(of: name), Double(figures.descriptors)))
        }
        readings += rates(ticks: ticks)
        let statistics = try await store.statistics(at: Runtime.system.now())
        readings.append((.parties(guests: guests), Double(statistics.parties.value)))
        readings.append((.adventures, Double(statistics.journeys + statistics.bossFights)))
        for table in try await TableFigures.read(from: world.database.uri) {
            let isSwept = Self.sweptTables.contains(table.name)
            guard isSwept || Self.otherTables.contains(table.name) else { continue }
            readings.append(
                (.size(of: table.name, isSwept: isSwept), Double(table.bytes) / Self.bytesPerMebibyte)
            )
            readings.append((.rows(of: table.name), Double(table.liveRows)))
            readings.append((.deadRows(of: table.name), Double(table.deadRows)))
        }
        readings.append((.connections, Double(try await TableFigures.sessions(on: world.database.uri))))
        series.note(readings, atSeconds: (.now - start) / .seconds(1))
        return Self.line(readings)
    }

    /// What was done in a second since the last look.
    private func rates(ticks: Double?) -> [(figure: SoakFigure, value: Double)] {
        let pushes = world.witness.accepted
        defer { last = (.now, ticks, pushes) }
        guard let last else { return [] }
        let seconds = (.now - last.at) / .seconds(1)
        var rates: [(figure: SoakFigure, value: Double)] = [(.pushes, Double(pushes - last.pushes) / seconds)]
        if let ticks, let before = last.ticks { rates.append((.ticks, (ticks - before) / seconds)) }
        return rates
    }

    private static func line(_ readings: [(figure: SoakFigure, value: Double)]) -> String {
        readings.map { "\($0.figure.name) \(NumberText.text($0.value, digits: $0.figure.unit == .count ? 0 : 1))" }
            .joined(separator: ", ")
    }
}

extension ChaosNode {
    /// How long a node is asked that does not answer at once: a busy machine is no sign of illness.
    private static let patienceOfTries = Duration.seconds(12)
    /// Between two tries.
    private static let pauseOfTries = Duration.seconds(1)

    /// What it says of itself, if it says so within a time.
    nonisolated func patientReading() async -> Reading? {
        var reading: Reading?
        // Only a cancelled task throws here; whoever asks is told that there is no reading.
        _ = try? await Wait.until(atMost: Self.patienceOfTries, lookingEvery: Self.pauseOfTries) {
            reading = await read()
            return reading != nil
        }
        return reading
    }
}
