import Encodings

/// What is wrong with a push that APNs accepts, found from the push itself and from what came before it.
enum Findings {
    /// One thing that is wrong.
    struct Finding: Equatable, Sendable {
        let kind: Violation.Kind
        let detail: String
    }

    /// Everything that is wrong with a push to an activity's token, in the order of ``Violation/Kind``'s cases.
    ///
    /// `payload` is what a phone reads, or why it reads nothing; `activity` is as it was before the push; `catalog` has the
    /// app's sentences.
    static func ofPush(
        _ request: PushRequest,
        _ arrival: PhoneWall.Arrival,
        _ payload: Result<ReceivedPayload, any Error>,
        to activity: PhoneActivity,
        saying catalog: StringCatalog
    ) -> [Finding] {
        var findings = ofPayload(payload, catalog)
        guard case .success(let payload) = payload else { return findings + ofExpiration(request) }
        if payload.event == .start {
            findings.append(Finding(kind: .wrongKindOfToken, detail: "a start to the token of an activity"))
        }
        findings += ofExpiration(request)
        // The same push once more, since its answer was lost, is no mistake.
        let isRepeat = payload.timestamp == activity.newestSentTimestamp && arrival.apnsID == activity.newestSentID
        if let newest = activity.newestSentTimestamp, payload.timestamp <= newest, !isRepeat {
            let detail = "the timestamp is \(payload.timestamp), after \(newest)"
            findings.append(Finding(kind: .timestampNotGrowing, detail: detail))
        }
        return findings + ofTimestamp(payload, at: arrival.time) + ofPush(afterEndOf: activity, apnsID: arrival.apnsID)
    }

    /// Everything that is wrong with a push to a push-to-start token, in the same order.
    static func ofStart(
        _ request: PushRequest,
        _ arrival: PhoneWall.Arrival,
        _ payload: Result<ReceivedPayload, any Error>,
        saying catalog: StringCatalog
    ) -> [Finding] {
        var findings = ofPayload(payload, catalog)
        guard case .success(let payload) = payload else { return findings + ofExpiration(request) }
        if payload.event != .start {
            let detail = "\(payload.event.rawValue) to a push-to-start token"
            findings.append(Finding(kind: .wrongKindOfToken, detail: detail))
        }
        return findings + ofExpiration(request) + ofTimestamp(payload, at: arrival.time)
    }

    /// Everything that is wrong with a broadcast, in the same order; `channel` is as it was before it.
    static func ofBroadcast(
        _ arrival: PhoneWall.Arrival,
        _ payload: Result<ReceivedPayload, any Error>,
        to channel: Channel,
        saying catalog: StringCatalog
    ) -> [Finding] {
        var findings = ofPayload(payload, catalog)
        guard case .success(let payload) = payload else { return findings }
        if payload.event == .start {
            findings.append(Finding(kind: .wrongKindOfToken, detail: "a broadcast starts no activity"))
        }
        let isRepeat = payload.timestamp == channel.newestTimestamp && arrival.apnsID == channel.newestID
        if let newest = channel.newestTimestamp, payload.timestamp <= newest, !isRepeat {
            let detail = "the timestamp is \(payload.timestamp), after \(newest) in this channel"
            findings.append(Finding(kind: .timestampNotGrowing, detail: detail))
        }
        findings += ofTimestamp(payload, at: arrival.time)
        if let endID = channel.endID, endID != arrival.apnsID {
            let detail = "the broadcast \(endID) has ended every activity that follows this channel"
            findings.append(Finding(kind: .pushAfterEnd, detail: detail))
        }
        return findings
    }

    /// What is wrong with a start that comes to a phone after so many others.
    static func ofTooManyStarts(perDay startsPerDay: Int) -> Finding {
        Finding(kind: .tooManyStarts, detail: "a phone takes \(startsPerDay) starts a day")
    }

    /// What is wrong with a push to a token that was good once: nothing, unless the sender knew.
    ///
    /// The app needs time to tell its server of a new token, so the first push to the old one is nobody's fault. It is
    /// one as soon as the sender has been refused once, or has used the token that took its place.
    static func ofPush(toDeadToken death: TokenDeath) -> [Finding] {
        let detail: String
        if death.hasBeenRefused {
            detail = "the sender has been refused with this token before"
        } else if death.isSuccessorUsed {
            detail = "the sender has used the token that took this one's place"
        } else {
            return []
        }
        return [Finding(kind: .pushToDeadToken, detail: detail)]
    }

    /// A sender that was killed before it could note the answer repeats its last push, under the same apns-id.
    static func ofPush(afterEndOf activity: PhoneActivity, apnsID: String) -> [Finding] {
        guard let endID = activity.sentEndID, endID != apnsID else { return [] }
        return [Finding(kind: .pushAfterEnd, detail: "the push \(endID) has ended the activity")]
    }

    private static func ofPayload(
        _ payload: Result<ReceivedPayload, any Error>,
        _ catalog: StringCatalog
    ) -> [Finding] {
        switch payload {
        case .success(let payload): payload.faults.map(finding) + (payload.alert.map { ofAlert($0, catalog) } ?? [])
        case .failure(let error): [Finding(kind: .unreadablePayload, detail: explanation(of: error))]
        }
    }

    private static func ofExpiration(_ request: PushRequest) -> [Finding] {
        guard request.expirationEpochSeconds == nil else { return [] }
        let detail = "apns-expiration is absent, so APNs may store the push up to 30 days"
        return [Finding(kind: .missingExpiration, detail: detail)]
    }

    private static func ofTimestamp(_ payload: ReceivedPayload, at now: Moment) -> [Finding] {
        guard !payload.isPlausible(at: now) else { return [] }
        let detail = "the timestamp is \(payload.timestamp), at \(now.epochSeconds)"
        return [Finding(kind: .implausibleTimestamp, detail: detail)]
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
