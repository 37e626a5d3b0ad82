public import RangersMetrics
import Tracing

/// The metrics of commands.
public struct CommandMetrics: Sendable {
    enum Outcome: String {
        /// The command was applied, or its stored response was repeated.
        case done
        /// The command failed with a ``CommandError``, for example because the rules refused it.
        case refused
        /// The command failed for another reason, for example a database error.
        case failed
    }

    struct Labels: MetricLabels {
        static let names = ["command", "outcome"]
        let command: String
        let outcome: Outcome
        var values: [String] { [command, outcome.rawValue] }
    }

    private let commands: Counters<Labels>

    /// Declares the metrics.
    ///
    /// In the default registry, which is never exported, they cost almost nothing.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        commands = registry.counters(
            "rangers_commands_total",
            "Commands of players and operators, by command and outcome (done, refused, failed).",
            by: Labels.self
        )
    }

    /// Counts the boss fights of a campaign's step, each as a command of its own.
    /// - Parameters:
    ///   - count: the number of parties for which a fight is attempted.
    ///   - work: attempts all fights; if it throws, it has started none.
    /// - Returns: the result of `work`.
    /// - Throws: the error of `work`.
    func countingFights(of count: Int, _ work: () async throws -> CampaignStep) async throws -> CampaignStep {
        let command = OperatorAction.startBossFight
        do {
            let step = try await work()
            commands.add(step.startCount, to: Labels(command: command, outcome: .done))
            // Refused fights, and parties that were no longer idle.
            let refused = count - step.started.count - step.earlierFights.count
            commands.add(refused, to: Labels(command: command, outcome: .refused))
            return step
        } catch {
            commands.add(count, to: Labels(command: command, outcome: .failed))
            throw error
        }
    }

    /// Counts a command by its outcome, and performs it in a span.
    func counting<Result>(_ command: String, _ work: () async throws -> Result) async throws -> Result {
        try await withSpan("command \(command)") { span in
            do {
                let result = try await work()
                count(command, .done, in: span)
                return result
            } catch let error as CommandError {
                count(command, .refused, in: span)
                throw error
            } catch {
                count(command, .failed, in: span)
                throw error
            }
        }
    }

    private func count(_ command: String, _ outcome: Outcome, in span: any Span) {
        commands.add(to: Labels(command: command, outcome: outcome))
        if span.isRecording { span.attributes["rangers.outcome"] = outcome.rawValue }
    }
}
