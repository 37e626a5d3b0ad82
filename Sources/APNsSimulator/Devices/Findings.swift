/// What is wrong with a push that APNs accepts, found from the push itself and from what came before it.
enum Findings {
    /// One thing that is wrong.
    struct Finding: Equatable, Sendable {
        let kind: Violation.Kind
        let detail: String
    }

    /// Everything that is wrong with a push, in the order of ``Violation/Kind``'s cases.
    ///
    /// `payload` is what a phone reads, or why it reads nothing; `activity` is as it was before the push.
    static func of(
        _ request: PushRequest,
        apnsID: String,
        payload: Result<ReceivedPayload, any Error>,
        for activity: PhoneActivity
    ) -> [Finding] {
        var findings: [Finding] = []
        func found(_ kind: Violation.Kind, _ detail: String) {
            findings.append(Finding(kind: kind, detail: detail))
        }
        switch payload {
        case .failure(let error): found(.unreadablePayload, explanation(of: error))
        case .success(let payload): findings += payload.faults.map(finding)
        }
        if case .success(let payload) = payload, payload.event == .start {
            found(.wrongKindOfToken, "a start to the token of an activity")
        }
        findings += ofExpiration(request)
        guard case .success(let payload) = payload else { return findings }
        if let newest = activity.newestSentTimestamp, payload.timestamp <= newest {
            found(.timestampNotGrowing, "the timestamp is \(payload.timestamp), after \(newest)")
        }
        return findings + ofEnd(of: activity, apnsID: apnsID)
    }

    /// Everything that is wrong with a push to a push-to-start token, in the same order.
    static func ofStart(
        _ request: PushRequest,
        payload: Result<ReceivedPayload, any Error>,
        isWithinBudget: Bool,
        startsPerDay: Int
    ) -> [Finding] {
        var findings: [Finding] = []
        switch payload {
        case .failure(let error):
            findings.append(Finding(kind: .unreadablePayload, detail: explanation(of: error)))
        case .success(let payload):
            findings += payload.faults.map(finding)
            if payload.event != .start {
                let detail = "\(payload.event.rawValue) to a push-to-start token"
                findings.append(Finding(kind: .wrongKindOfToken, detail: detail))
            }
        }
        if !isWithinBudget {
            let detail = "a phone takes \(startsPerDay) starts a day"
            findings.append(Finding(kind: .tooManyStarts, detail: detail))
        }
        return findings + ofExpiration(request)
    }

    /// Everything that is wrong with a broadcast, in the same order.
    static func ofBroadcast(_ payload: Result<ReceivedPayload, any Error>, newestTimestamp: Int64?) -> [Finding] {
        switch payload {
        case .failure(let error):
            return [Finding(kind: .unreadablePayload, detail: explanation(of: error))]
        case .success(let payload):
            var findings = payload.faults.map(finding)
            if payload.event == .start {
                findings.append(Finding(kind: .wrongKindOfToken, detail: "a broadcast starts no activity"))
            }
            if let newestTimestamp, payload.timestamp <= newestTimestamp {
                let detail = "the timestamp is \(payload.timestamp), after \(newestTimestamp) in this channel"
                findings.append(Finding(kind: .timestampNotGrowing, detail: detail))
            }
            return findings
        }
    }

    private static func ofExpiration(_ request: PushRequest) -> [Finding] {
        guard request.expirationEpochSeconds == nil else { return [] }
        let detail = "apns-expiration is absent, so APNs may store the push up to 30 days"
        return [Finding(kind: .missingExpiration, detail: detail)]
    }

    /// What is wrong with a push to a token that was good once: nothing, unless the sender knew.
    ///
    /// The app needs time to tell its server of a new token, so the first push to the old one is nobody's fault. It is
    /// one as soon as the sender has had a 410 for it, or has used the token that took its place.
    static func ofPushToDeadToken(
        _ death: AddressBook.Death,
        of activity: PhoneActivity,
        apnsID: String
    ) -> [Finding] {
        var findings = ofEnd(of: activity, apnsID: apnsID)
        if death.hasBeenRefused {
            let detail = "the sender has been answered 410 for this token before"
            findings.append(Finding(kind: .pushToDeadToken, detail: detail))
        } else if death.isSuccessorUsed {
            let detail = "the sender has used this activity's newer token before"
            findings.append(Finding(kind: .pushToDeadToken, detail: detail))
        }
        return findings
    }

    /// A sender that was killed before it could note the answer repeats its last push, under the same apns-id.
    private static func ofEnd(of activity: PhoneActivity, apnsID: String) -> [Finding] {
        guard let endID = activity.sentEndID, endID != apnsID else { return [] }
        return [Finding(kind: .pushAfterEnd, detail: "the push \(endID) has ended the activity")]
    }

    private static func finding(_ fault: PayloadFault) -> Finding {
        switch fault {
        case .contentState(let why):
            Finding(kind: .undecodableContentState, detail: why)
        case .flatLocalizationKeys:
            Finding(
                kind: .flatLocalizationKeys,
                detail: "use title and body with loc-key and loc-args inside, as ActivityKit documents"
            )
        case .soundOutsideAlert:
            Finding(kind: .soundOutsideAlert, detail: "aps.sound does not play; put it into aps.alert")
        case .missingStaleDate:
            Finding(kind: .missingStaleDate, detail: "a start or an update without aps.stale-date")
        case .attributes(let why):
            Finding(kind: .undecodableAttributes, detail: why)
        case .startWithoutAlert:
            Finding(kind: .startWithoutAlert, detail: "a phone drops a start without aps.alert")
        case .missingInputPushToken:
            Finding(kind: .missingInputPushToken, detail: "ask for an update token with aps.input-push-token: 1")
        }
    }
}
