extension PhoneWall {
    /// How many digits of a token the log shows: as many as a small string holds.
    private static let tokenStartLength = 12

    /// Whom a request is about, as far as anyone knows.
    struct Subject: Sendable {
        static let nobody = Self()

        var phoneID: Identifier<Phone>?
        var activityID: Identifier<PhoneActivity>?
    }

    /// What has become of pushes that had to wait, since anyone last asked.
    struct LateNews: Sendable {
        fileprivate var entriesByNumber: [Int: PushLog.Entry] = [:]
        fileprivate(set) var violations: [Violation] = []

        /// The pushes, as the log has them now, in its order; each once, however many phones a broadcast has reached.
        var entries: [PushLog.Entry] { entriesByNumber.values.sorted { $0.number < $1.number } }
    }

    /// Writes down what became of a request.
    mutating func write(
        _ arrival: Arrival,
        _ subject: Subject,
        _ payload: ReceivedPayload? = nil,
        refusal: APNsRefusal? = nil,
        isAnswered: Bool = true,
        reaction: PhoneActivity.Reaction? = nil,
        reactions: [PhoneActivity.Reaction: Int]? = nil,
        alert: ShownAlert? = nil
    ) -> PushLog.Entry {
        // Of what was refused unread there is the refusal, and of a phone that is gone no budget.
        let request = try? arrival.request.get()
        let budgetLeft = subject.phoneID.flatMap { try? phones[index(of: $0)].highBudget.left(at: arrival.time) }
        return log.append { number in
            PushLog.Entry(
                number: number,
                time: arrival.time,
                phoneID: subject.phoneID,
                activityID: subject.activityID,
                channelID: request?.channelID,
                tokenStart: request?.token.map { String($0.hexadecimal.prefix(Self.tokenStartLength)) },
                priority: request?.priority,
                event: payload?.event,
                timestamp: payload?.timestamp,
                apnsID: arrival.apnsID,
                headers: arrival.headers,
                size: arrival.payload.count,
                status: isAnswered ? refusal?.status ?? 200 : nil,
                reason: refusal?.rawValue,
                reaction: reaction,
                reactions: reactions,
                budgetLeft: budgetLeft,
                alert: alert,
                fault: arrival.strike?.name,
                payload: PushLog.Payload(arrival.payload)
            )
        }
    }

    /// Writes down what was wrong with the request of that name.
    mutating func record(
        _ findings: [Findings.Finding],
        of apnsID: String,
        _ subject: Subject,
        at now: Moment
    ) -> [Violation] {
        let found = findings.prefix(Self.maximumViolations - violations.count).enumerated().map { offset, finding in
            Violation(
                number: violations.count + offset + 1,
                time: now,
                kind: finding.kind,
                phoneID: subject.phoneID,
                activityID: subject.activityID,
                apnsID: apnsID,
                detail: finding.detail
            )
        }
        violations += found
        return found
    }

    /// Writes down what has become of a push that had to wait.
    mutating func settle(
        _ delivery: Delivery,
        from earlier: PhoneActivity.Reaction,
        to reaction: PhoneActivity.Reaction,
        at now: Moment
    ) {
        guard !delivery.isBroadcast else {
            if let entry = log.settleBroadcast(delivery.logNumber, from: earlier, to: reaction, at: now) {
                lateNews.entriesByNumber[entry.number] = entry
            }
            return
        }
        var subject = Subject(phoneID: phones[delivery.phoneIndex].id)
        switch delivery.target {
        case .activity(let activityID): subject.activityID = activityID
        case .start(let identity): if reaction == .shown { subject.activityID = identity.id }
        }
        if let entry = log.settle(delivery.logNumber, reaction, activityID: subject.activityID, at: now) {
            lateNews.entriesByNumber[entry.number] = entry
        }
        if reaction == .overBudget {
            let finding = Findings.ofTooManyStarts(perDay: limits.startsPerDay)
            lateNews.violations += record([finding], of: delivery.apnsID, subject, at: now)
        }
    }

    /// What has become of pushes that had to wait, told once.
    mutating func takeLateNews() -> LateNews {
        defer { lateNews = LateNews() }
        return lateNews
    }
}
