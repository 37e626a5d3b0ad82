extension PhoneWall {
    /// What the log says of a request, whatever became of it.
    struct Receipt: Sendable {
        let time: Moment
        let apnsID: String
        let headers: [PushLog.Header]
        let payload: [UInt8]
        /// Nil when the request was refused before it was read.
        let priority: PushRequest.Priority?
        /// What went wrong with it on demand.
        let fault: NewFault.Kind?
        /// With a broadcast: where to.
        var channelID: Channel.ID?
    }

    /// Writes down what became of a request.
    mutating func write(
        _ receipt: Receipt,
        _ phoneID: Identifier<Phone>? = nil,
        _ activityID: Identifier<PhoneActivity>? = nil,
        _ payload: ReceivedPayload? = nil,
        refusal: APNsRefusal? = nil,
        isAnswered: Bool = true,
        reaction: PhoneActivity.Reaction? = nil,
        alert: ShownAlert? = nil
    ) -> PushLog.Entry {
        let budgetLeft = phoneID.flatMap { try? phone($0).highBudget.left(at: receipt.time) }
        return log.append { number in
            PushLog.Entry(
                number: number,
                time: receipt.time,
                phoneID: phoneID,
                activityID: activityID,
                channelID: receipt.channelID,
                priority: receipt.priority,
                event: payload?.event,
                timestamp: payload?.timestamp,
                apnsID: receipt.apnsID,
                headers: receipt.headers,
                size: receipt.payload.count,
                status: isAnswered ? refusal?.status ?? 200 : nil,
                reason: refusal?.rawValue,
                reaction: reaction,
                budgetLeft: budgetLeft,
                alert: alert,
                fault: receipt.fault,
                payload: String(decoding: receipt.payload.prefix(BroadcastRequest.maximumPayloadBytes), as: UTF8.self)
            )
        }
    }

    /// Writes down what was wrong with a request.
    mutating func record(
        _ findings: [Findings.Finding],
        of receipt: Receipt,
        _ phoneID: Identifier<Phone>?,
        _ activityID: Identifier<PhoneActivity>?
    ) -> [Violation] {
        let found = findings.prefix(Self.maximumViolations - violations.count).enumerated().map { offset, finding in
            Violation(
                number: violations.count + offset + 1,
                time: receipt.time,
                kind: finding.kind,
                phoneID: phoneID,
                activityID: activityID,
                apnsID: receipt.apnsID,
                detail: finding.detail
            )
        }
        violations += found
        return found
    }
}
