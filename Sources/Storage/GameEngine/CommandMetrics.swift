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

    /// Counts the fights of a campaign's step, each as the command that it would be alone.
    /// - Parameters:
    ///   - count: of how many parties a fight is tried.
    ///   - work: tries all of them, or throws and has begun none.
    /// - Returns: what the work returns.
    /// - Throws: what the work throws.
    func countingFights(of count: Int, _ work: () async throws -> CampaignStep) async throws -> CampaignStep {
        let command = OperatorWish.startBossFight
        do {
            let step = try await work()
            commands.add(step.begun, to: Labels(command: command, outcome: .done))
            // Those that refused, and those that were not idle any more.
            let refused = count - step.started.count - step.served.count
            commands.add(refused, to: Labels(command: command, outcome: .refused))
            return step
        } catch {
            commands.add(count, to: Labels(command: command, outcome: .failed))
            throw error
        }
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
