import CommandLineSupport

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

    /// A push that an operator asked for, and that has not gone out yet.
    struct PendingPush: Decodable {
        let position: Int64
        let event: String
        let askedAt: Moment
    }

    let activity: ActivityAnswer
    let decisions: [Decision]
    let pendingPush: PendingPush?
    /// Nil from a server of an older release.
    let hasDispatcher: Bool?

    func lines(fitting width: Int?) -> [String] {
        activity.facts(fitting: width) + [""] + timeline(fitting: width) + [""] + asked(fitting: width)
            + activity.now(fitting: width) + dispatcher(fitting: width)
    }

    private func asked(fitting width: Int?) -> [String] {
        guard let pendingPush else { return [] }
        let what = pendingPush.event == "end" ? "An end" : "An update"
        return Paragraph(
            beginning: "Asked      ",
            text: "\(what), by an operator at \(pendingPush.askedAt.text) (position \(pendingPush.position)); "
                + "it has not gone out yet."
        ).lines(fitting: width)
    }

    private func dispatcher(fitting width: Int?) -> [String] {
        guard hasDispatcher == false else { return [] }
        return Paragraph(
            beginning: "Sender     ",
            text: "None: no dispatcher has the activity's shard, and nothing goes out until one takes it."
        ).lines(fitting: width)
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
