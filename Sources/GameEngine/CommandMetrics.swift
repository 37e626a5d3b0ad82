public import RangersMetrics

/// What commands count.
public struct CommandMetrics: Sendable {
    enum Outcome: String {
        /// Applied, or answered again as it was before.
        case done
        /// The rules forbid it.
        case refused
        /// Something else went wrong, the database for one.
        case failed
    }

    struct Labels: MetricLabels {
        static let names = ["command", "outcome"]
        let command: String
        let outcome: Outcome
        var values: [String] { [command, outcome.rawValue] }
    }

    private let commands: Counters<Labels>

    /// Declares the metrics; those of a registry that nobody reads cost next to nothing.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        commands = registry.counters(
            "rangers_commands_total",
            "What players and operators asked of adventures, by command and outcome (done, refused, failed).",
            by: Labels.self
        )
    }

    /// Counts what becomes of a command.
    func counting<Result>(_ command: String, _ work: () async throws -> Result) async throws -> Result {
        do {
            let result = try await work()
            commands.add(to: Labels(command: command, outcome: .done))
            return result
        } catch let error as CommandError {
            commands.add(to: Labels(command: command, outcome: .refused))
            throw error
        } catch {
            commands.add(to: Labels(command: command, outcome: .failed))
            throw error
        }
    }
}
