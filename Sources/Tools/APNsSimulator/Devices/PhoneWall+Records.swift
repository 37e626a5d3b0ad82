import Encodings

extension PhoneWall {
    /// The number of digits of a token in the log: as many as a small string holds.
    private static let tokenStartLength = 12

    /// The phone and activity of a request, as far as they are known.
    struct Subject: Sendable {
        static let unknown = Self()

        var phoneID: WallID<Phone>?
        var activityID: WallID<PhoneActivity>?
    }

    /// The outcomes of delayed pushes since the last call of ``takeDelayedOutcomes()``.
    struct DelayedOutcomes: Sendable {
        fileprivate var entriesByNumber: [Int: PushLog.Entry] = [:]
        fileprivate(set) var violations: [Violation] = []

        /// The current log entries in order; each appears once, even if a broadcast has reached several phones.
        var entries: [PushLog.Entry] { entriesByNumber.values.sorted { $0.number < $1.number } }
    }

    /// Appends a request to the log.
    mutating func appendEntry(
        _ arrival: Arrival,
        _ subject: Subject,
        _ payload: ReceivedPayload? = nil,
        rejection: RejectionReason? = nil,
        hasResponse: Bool = true,
        reaction: PhoneActivity.Reaction? = nil,
        reactions: [PhoneActivity.Reaction: Int]? = nil,
        alert: ShownAlert? = nil
    ) -> PushLog.Entry {
        // A rejection before decoding has no request, and a forgotten phone no budget.
        let request = try? arrival.request.get()
        let budgetLeft = subject.phoneID.flatMap {
            try? phones[index(of: $0)].highPriorityBudget.remaining(at: arrival.time)
        }
        return log.append { number in
            PushLog.Entry(
                number: number,
                time: arrival.time,
                phoneID: subject.phoneID,
                activityID: subject.activityID,
                channelID: request?.channelID,
                tokenStart: request?.token.map { String($0.hexadecimal.prefix(Self.tokenStartLength)) },
                priority: request?.priority,
                pushType: request?.pushType,
                event: payload?.event,
                timestamp: payload?.timestamp,
                apnsID: arrival.apnsID,
                headers: arrival.headers,
                size: arrival.payload.count,
                status: hasResponse ? rejection?.status ?? 200 : nil,
                reason: rejection?.rawValue,
                reaction: reaction,
                reactions: reactions,
                budgetLeft: budgetLeft,
                alert: alert,
                fault: arrival.injection?.name,
                payload: PushLog.Payload(arrival.payload)
            )
        }
    }

    /// Records the findings about a request as violations.
    mutating func record(
        _ findings: [PushInspection.Finding],
        of apnsID: String,
        _ subject: Subject,
        at now: Timestamp
    ) -> [Violation] {
        let newViolations = findings.prefix(Self.maxViolations - violations.count).enumerated().map { offset, finding in
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
        violations += newViolations
        return newViolations
    }

    /// Records the outcome of a delayed push.
    mutating func updateReaction(
        _ delivery: Delivery,
        from earlier: PhoneActivity.Reaction,
        to reaction: PhoneActivity.Reaction,
        at now: Timestamp
    ) {
        guard !delivery.isBroadcast else {
            if let entry = log.updateBroadcast(delivery.logNumber, from: earlier, to: reaction, at: now) {
                delayedOutcomes.entriesByNumber[entry.number] = entry
            }
            return
        }
        var subject = Subject(phoneID: phones[delivery.phoneIndex].id)
        switch delivery.target {
        case .activity(let activityID): subject.activityID = activityID
        case .start(let identity): if reaction == .shown { subject.activityID = identity.id }
        case .notification, .widgets: break
        }
        if let entry = log.updateReaction(delivery.logNumber, reaction, activityID: subject.activityID, at: now) {
            delayedOutcomes.entriesByNumber[entry.number] = entry
        }
        if reaction == .overBudget {
            let finding = PushInspection.tooManyStarts(perDay: limits.startsPerDay)
            delayedOutcomes.violations += record([finding], of: delivery.apnsID, subject, at: now)
        }
    }

    /// Removes and returns the outcomes of delayed pushes.
    mutating func takeDelayedOutcomes() -> DelayedOutcomes {
        defer { delayedOutcomes = DelayedOutcomes() }
        return delayedOutcomes
    }
}
