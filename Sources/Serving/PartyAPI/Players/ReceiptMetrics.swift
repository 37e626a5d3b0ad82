import GameLog
import PushDispatch
import PushRules
public import RangersMetrics

/// The metrics of what devices report about their activities.
public struct ReceiptMetrics: Sendable {
    struct Reason: MetricLabels {
        static let names = ["reason"]
        let reason: String
        var values: [String] { [reason] }
    }

    struct Verdict: MetricLabels {
        static let names = ["verdict"]
        let verdict: String
        var values: [String] { [verdict] }
    }

    struct Priority: MetricLabels {
        static let names = ["priority"]
        let priority: Int
        var values: [String] { ["\(priority)"] }
    }

    private let verdicts: Counters<Verdict>
    private let delays: Histograms<Priority>
    private let states: Counters<NoLabels>
    private let ignoredValues: Counters<Reason>

    /// Declares the metrics.
    ///
    /// In the default registry, which is never exported, they cost almost nothing.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        verdicts = registry.counters(
            "rangers_push_verdicts_total",
            "Accepted pushes of which devices' reports to this node have decided whether they were shown, by verdict.",
            by: Verdict.self,
            showing: PushVerdict.finalLabels.map(Verdict.init)
        )
        delays = registry.histograms(
            "rangers_push_accepted_to_shown_seconds",
            "The time from APNs' acceptance of a push until the device showed it, by the clocks of both.",
            by: Priority.self,
            bounds: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800],
            showing: [PushPriority.low, .high].map { Priority(priority: $0.rawValue) }
        )
        states = registry.counters(
            "rangers_receipts_states_total",
            "States that devices have reported as shown to this node, each once."
        )
        let reasons = ReceiptRefusal.allCases.map(\.rawValue)
        ignoredValues = registry.counters(
            "rangers_receipts_ignored_total",
            "Values of devices' reports that this node has not used, by reason.",
            by: Reason.self,
            showing: (reasons + [ReceiptRecorder.unknownActivity, ReceiptRecorder.unreadableAdventure]).map(Reason.init)
        )
    }

    /// Counts a push whose verdict is final.
    func judged(_ judged: JudgedPush) {
        verdicts.add(to: Verdict(verdict: judged.verdict.label))
        guard case .shown(let delay?) = judged.verdict else { return }
        delays.observe(delay, of: Priority(priority: judged.push.priority.rawValue))
    }

    /// Counts newly shown states.
    func shown(_ states: Int) { self.states.add(states) }

    /// Counts values that were not used.
    func ignored(_ count: Int, because reason: String) { ignoredValues.add(count, to: Reason(reason: reason)) }
}
