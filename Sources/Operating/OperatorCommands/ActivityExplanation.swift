import CommandLineSupport
import Foundation

/// The response to `GET /admin/v1/activities/{activityID}/decisions`, printed as a timeline.
struct ActivityExplanation: Decodable, HumanReadable {
    struct Verdict: Decodable {
        /// A sentence without a full stop.
        let text: String
    }

    struct Decision: Decodable {
        let at: Date
        let trigger: String
        let action: String
        let reason: String?
        let until: Date?
        /// Whether the device has shown the push; nil if APNs has not accepted one, and from an older server.
        let verdict: Verdict?

        /// The cause as a sentence, then a sentence with the decision, its end and its reason, then one with the verdict.
        var sentence: String {
            let end = until.map { " until \($0.utcDay == at.utcDay ? $0.utcTime : $0.utcText)" } ?? ""
            let shown = verdict.map { " \($0.text)." } ?? ""
            return "\(trigger). \(action)\(end)\(reason.map { " – \($0)" } ?? "").\(shown)"
        }
    }

    /// A requested push that is not sent yet.
    struct RequestedPush: Decodable {
        let position: Int64
        let event: String
        let requestedAt: Date
    }

    private enum CodingKeys: String, CodingKey {
        case activity
        case decisions
        case requestedPush = "pendingPush"
        case hasDispatcher
    }

    let activity: ActivityDetails
    let decisions: [Decision]
    let requestedPush: RequestedPush?
    /// Whether a dispatcher holds the lease of the activity's shard; nil from an older server.
    let hasDispatcher: Bool?

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        activity.facts(fitting: width) + [""] + timeline(fitting: width) + [""] + requestedPush(fitting: width)
            + activity.pendingPush(fitting: width) + missingDispatcher(fitting: width)
    }

    private func requestedPush(fitting width: Int?) -> [String] {
        guard let requestedPush else { return [] }
        let event = requestedPush.event == "end" ? "An end" : "An update"
        return Paragraph(
            beginning: "Requested  ",
            text: "\(event), by an operator at \(requestedPush.requestedAt.utcText) "
                + "(position \(requestedPush.position)); not sent yet."
        ).lines(fitting: width)
    }

    private func missingDispatcher(fitting width: Int?) -> [String] {
        guard hasDispatcher == false else { return [] }
        return Paragraph(
            beginning: "Sender     ",
            text: "None: no dispatcher has the activity's shard. Nothing is sent until one takes it."
        ).lines(fitting: width)
    }

    private func timeline(fitting width: Int?) -> [String] {
        guard !decisions.isEmpty else {
            return Paragraph(
                beginning: "",
                text: "No decision is recorded for this activity."
            ).lines(fitting: width)
        }
        let gaps = zip(decisions, [nil] + decisions.map(\.at)).map { decision, previous in
            previous.map { "+" + decision.at.intervalText(since: $0) } ?? ""
        }
        let widest = gaps.map(\.count).max() ?? 0
        var day = ""
        return zip(decisions, gaps).flatMap { decision, gap in
            let heading = decision.at.utcDay == day ? [] : ["\(decision.at.utcDay), UTC"]
            day = decision.at.utcDay
            let padding = String(repeating: " ", count: widest - gap.count)
            let beginning = "\(decision.at.utcTime)  \(padding)\(gap)  "
            return heading + Paragraph(beginning: beginning, text: decision.sentence).lines(fitting: width)
        }
    }
}
