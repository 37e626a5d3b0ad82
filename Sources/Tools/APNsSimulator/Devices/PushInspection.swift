import Encodings

/// Finds mistakes in pushes that APNs accepts, from the push itself and from earlier pushes.
enum PushInspection {
    /// A mistake in a push.
    struct Finding: Equatable, Sendable {
        let kind: Violation.Kind
        let detail: String
    }

    /// Inspects a push to an activity's token.
    ///
    /// - Parameters:
    ///   - request: the push.
    ///   - arrival: the request as it arrived.
    ///   - payload: the decoded payload, or the error.
    ///   - activity: the activity before the push.
    ///   - catalog: the app's localized strings.
    /// - Returns: the findings in the order of ``Violation/Kind``'s cases.
    static func inspectPush(
        _ request: ReceivedPush,
        _ arrival: PhoneWall.Arrival,
        _ payload: Result<ReceivedPayload, any Error>,
        to activity: PhoneActivity,
        catalog: StringCatalog
    ) -> [Finding] {
        var findings = inspectPayload(payload, catalog)
        guard case .success(let payload) = payload else { return findings + inspectExpiration(request) }
        if payload.event == .start {
            findings.append(Finding(kind: .wrongKindOfToken, detail: "a start is sent to the token of an activity"))
        }
        findings += inspectExpiration(request)
        // Repeating a push after a lost response is no mistake.
        let isRepeat = payload.timestamp == activity.newestSentTimestamp && arrival.apnsID == activity.newestSentID
        if let newest = activity.newestSentTimestamp, payload.timestamp <= newest, !isRepeat {
            let detail =
                "the timestamp is \(payload.timestamp), which does not exceed \(newest), the activity's last one"
            findings.append(Finding(kind: .timestampNotGrowing, detail: detail))
        }
        return findings + inspectTimestamp(payload, at: arrival.time)
            + pushAfterEnd(of: activity, apnsID: arrival.apnsID)
    }

    /// Inspects a push to a push-to-start token, like ``inspectPush(_:_:_:to:catalog:)``.
    static func inspectStart(
        _ request: ReceivedPush,
        _ arrival: PhoneWall.Arrival,
        _ payload: Result<ReceivedPayload, any Error>,
        catalog: StringCatalog
    ) -> [Finding] {
        var findings = inspectPayload(payload, catalog)
        guard case .success(let payload) = payload else { return findings + inspectExpiration(request) }
        if payload.event != .start {
            let detail = "an event '\(payload.event.rawValue)' is sent to a push-to-start token"
            findings.append(Finding(kind: .wrongKindOfToken, detail: detail))
        }
        return findings + inspectExpiration(request) + inspectTimestamp(payload, at: arrival.time)
    }

    /// Inspects a broadcast, like ``inspectPush(_:_:_:to:catalog:)``; `channel` is as before the broadcast.
    static func inspectBroadcast(
        _ arrival: PhoneWall.Arrival,
        _ payload: Result<ReceivedPayload, any Error>,
        to channel: Channel,
        catalog: StringCatalog
    ) -> [Finding] {
        var findings = inspectPayload(payload, catalog)
        guard case .success(let payload) = payload else { return findings }
        if payload.event == .start {
            findings.append(Finding(kind: .wrongKindOfToken, detail: "a broadcast cannot start an activity"))
        }
        let isRepeat = payload.timestamp == channel.newestTimestamp && arrival.apnsID == channel.newestID
        if let newest = channel.newestTimestamp, payload.timestamp <= newest, !isRepeat {
            let detail =
                "the timestamp is \(payload.timestamp), which does not exceed \(newest), the channel's last one"
            findings.append(Finding(kind: .timestampNotGrowing, detail: detail))
        }
        findings += inspectTimestamp(payload, at: arrival.time)
        if let endID = channel.endID, endID != arrival.apnsID {
            let detail = "the broadcast \(endID) has already ended the channel's activities"
            findings.append(Finding(kind: .pushAfterEnd, detail: detail))
        }
        return findings
    }

    /// Returns the finding for a start beyond a phone's limit.
    static func tooManyStarts(perDay startsPerDay: Int) -> Finding {
        Finding(kind: .tooManyStarts, detail: "a phone accepts at most \(startsPerDay) starts a day")
    }

    /// Inspects a push to an invalidated token, which is a mistake only if the sender knew of the invalidation.
    ///
    /// The app needs time to send a new token to its server, so the first push to the old one is no mistake. Further
    /// pushes are mistakes once the sender has received a rejection or has used the replacement.
    static func pushToInvalidToken(_ invalidation: TokenInvalidation) -> [Finding] {
        let detail: String
        if invalidation.hasBeenRejected {
            detail = "an earlier push to this token was rejected"
        } else if invalidation.isSuccessorUsed {
            detail = "the sender has already used the token that replaced this one"
        } else {
            return []
        }
        return [Finding(kind: .pushToDeadToken, detail: detail)]
    }

    /// Inspects a push after the sender's own end; repeating the end under the same apns-id is no mistake, since a
    /// restarted sender must do so.
    static func pushAfterEnd(of activity: PhoneActivity, apnsID: String) -> [Finding] {
        guard let endID = activity.sentEndID, endID != apnsID else { return [] }
        return [Finding(kind: .pushAfterEnd, detail: "the push \(endID) has already ended the activity")]
    }

    private static func inspectPayload(
        _ payload: Result<ReceivedPayload, any Error>,
        _ catalog: StringCatalog
    ) -> [Finding] {
        switch payload {
        case .success(let payload):
            payload.defects.map(finding) + (payload.alert.map { inspectAlert($0, catalog) } ?? [])
        case .failure(let error): [Finding(kind: .unreadablePayload, detail: explanation(of: error))]
        }
    }

    static func inspectExpiration(_ request: ReceivedPush) -> [Finding] {
        guard request.expirationEpochSeconds == nil else { return [] }
        let detail = "apns-expiration is missing, so APNs may store the push for up to 30 days"
        return [Finding(kind: .missingExpiration, detail: detail)]
    }

    private static func inspectTimestamp(_ payload: ReceivedPayload, at now: Timestamp) -> [Finding] {
        guard !payload.isPlausible(at: now) else { return [] }
        let detail = "the timestamp is \(payload.timestamp), and the time is \(now.epochSeconds)"
        return [Finding(kind: .implausibleTimestamp, detail: detail)]
    }

    private static func finding(_ defect: PayloadDefect) -> Finding {
        switch defect {
        case .contentState(let reason):
            Finding(kind: .undecodableContentState, detail: reason)
        case .flatLocalizationKeys:
            Finding(
                kind: .flatLocalizationKeys,
                detail: "use title and body with loc-key and loc-args inside, as ActivityKit documents"
            )
        case .soundOutsideAlert:
            Finding(kind: .soundOutsideAlert, detail: "aps.sound does not play; move it to aps.alert")
        case .missingStaleDate:
            Finding(kind: .missingStaleDate, detail: "a start or an update has no aps.stale-date")
        case .attributes(let reason):
            Finding(kind: .undecodableAttributes, detail: reason)
        case .startWithoutAlert:
            Finding(kind: .startWithoutAlert, detail: "a phone drops a start without aps.alert")
        case .missingInputPushToken:
            Finding(kind: .missingInputPushToken, detail: "request an update token with aps.input-push-token: 1")
        }
    }
}
