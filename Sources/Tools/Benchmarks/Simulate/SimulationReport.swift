import CommandLineSupport
import Encodings
import GameCore
import Simulation

/// How the runs of a simulation went.
struct SimulationReport: Report {
    static let isAboutSpeed = false

    /// A run in which something did not hold.
    struct Failure: Encodable {
        let seed: UInt64
        /// What repeats the run.
        let command: String
        let breaches: [String]
    }

    private(set) var seeds = 0
    private(set) var events = 0
    private(set) var pushes = 0
    private(set) var faults = 0
    private(set) var virtualSeconds = 0.0
    var seconds = 0.0
    private(set) var failures: [Failure] = []

    /// All that did not hold, in sentences.
    var violations: [String] {
        failures.flatMap { failure in failure.breaches.map { "seed \(failure.seed): \($0)" } }
    }

    private enum CodingKeys: String, CodingKey {
        case seeds, failed, events, pushes, faults, virtualSeconds, seconds, violations, failures
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(seeds, forKey: .seeds)
        try container.encode(failures.count, forKey: .failed)
        try container.encode(events, forKey: .events)
        try container.encode(pushes, forKey: .pushes)
        try container.encode(faults, forKey: .faults)
        try container.encode(virtualSeconds, forKey: .virtualSeconds)
        try container.encode(seconds, forKey: .seconds)
        try container.encode(violations, forKey: .violations)
        try container.encode(failures, forKey: .failures)
    }

    /// Counts a run.
    mutating func add(_ result: Simulation.Result) {
        seeds += 1
        events += result.events
        pushes += result.pushes
        faults += result.disturbances
        virtualSeconds += Double(result.virtualTime.wholeMicroseconds) / 1_000_000
        guard !result.breaches.isEmpty else { return }
        failures.append(
            Failure(
                seed: result.seed,
                command: "rangers-bench simulate --seeds 1 --seed \(result.seed) --trace",
                breaches: result.breaches.map(\.description)
            )
        )
        failures.sort { $0.seed < $1.seed }
    }

    func lines(fitting width: Int?) -> [String] {
        let failed = failures.flatMap { failure in
            ["seed \(failure.seed) failed; \(failure.command)"] + failure.breaches.map { "  \($0)" }
        }
        let hours = (virtualSeconds / 360).rounded() / 10
        return failed + [
            "\(seeds) seeds, \(failures.count) of them failed: \(hours) hours of virtual time in "
                + "\((seconds * 10).rounded() / 10) s, with \(faults) faults, \(events) entries of logs and \(pushes) pushes."
        ]
    }

    /// Refuses a report in which something did not hold.
    func check() throws(MeasurementFailure) {
        guard let first = failures.first else { return }
        throw MeasurementFailure("\(failures.count) of \(seeds) seeds failed; repeat the first by: \(first.command)")
    }
}
