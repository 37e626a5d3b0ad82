import RangersCommandLine

/// The answer to `GET /admin/v1/activities/{activityID}/decisions`, as a timeline.
struct DecisionsAnswer: Answer {
    struct Decision: Decodable {
        let at: Moment
        let happened: String
        let decided: String
        let why: String?
        let until: Moment?

        /// What happened, what was decided until when, and why: the first is a sentence of its own.
        var sentence: String {
            let end = until.map { " until \($0.day == at.day ? $0.time : $0.text)" } ?? ""
            return "\(happened). \(decided)\(end)\(why.map { " – \($0)" } ?? "")."
        }
    }

    let activity: ActivityAnswer
    let decisions: [Decision]

    func lines(fitting width: Int?) -> [String] {
        activity.facts(fitting: width) + [""] + timeline(fitting: width) + [""] + activity.now(fitting: width)
    }

    private func timeline(fitting width: Int?) -> [String] {
        guard !decisions.isEmpty else {
            return Paragraph(
                beginning: "",
                text: "No decision is on record for it: none was made yet, or it was made before they were recorded."
            ).lines(fitting: width)
        }
        let gaps = zip(decisions, [nil] + decisions.map(\.at)).map { decision, before in
            before.map { "+" + decision.at.timeSince($0) } ?? ""
        }
        let widest = gaps.map(\.count).max() ?? 0
        var day = ""
        return zip(decisions, gaps).flatMap { decision, gap in
            let heading = decision.at.day == day ? [] : ["\(decision.at.day), UTC"]
            day = decision.at.day
            let padding = String(repeating: " ", count: widest - gap.count)
            let beginning = "\(decision.at.time)  \(padding)\(gap)  "
            return heading + Paragraph(beginning: beginning, text: decision.sentence).lines(fitting: width)
        }
    }
}
