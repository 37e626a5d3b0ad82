import Encodings

extension PhoneWall {
    /// A request to push as it reached APNs.
    struct Arrival: Sendable {
        let time: Timestamp
        /// The `apns-id`, or `apns-request-id` of a broadcast: the sender's, or one made by APNs.
        let apnsID: String
        let payload: [UInt8]
        /// The headers for the log.
        var headers: [PushLog.Header] = []
        /// The validated request, or the reason for its rejection.
        let request: Result<ReceivedPush, RejectionReason>
        /// The seed of the identity of an activity that the push starts.
        var identitySeed: UInt64 = 0
        /// Apple's `apns-unique-id`, where APNs returns one.
        var uniqueID: String?
        /// The injected faults; nil for an invalid request, to which none apply.
        var injection: PushFaultInjector.Injection?
    }

    /// The response of APNs, and the changes that a request has made.
    struct Outcome: Sendable {
        /// The reason for a rejection; nil when the push was accepted or not processed.
        var rejection: RejectionReason?
        /// The time at which the token became invalid; set with ``RejectionReason/unregistered`` and
        /// ``RejectionReason/expiredToken``.
        var invalidSince: Timestamp?
        let entry: PushLog.Entry
        var violations: [Violation] = []
        /// The indices of the phones that the push reached.
        var phoneIndices: [Int] = []
        /// Apple's `apns-unique-id`, where APNs returns one.
        var uniqueID: String?
        /// The injected faults; nil for an invalid request.
        var injection: PushFaultInjector.Injection?
    }

    /// Processes a request: finds its destination, delivers it, and records the outcome.
    mutating func receive(_ arrival: Arrival) -> Outcome {
        var outcome = process(arrival)
        outcome.injection = arrival.injection
        return outcome
    }

    private mutating func process(_ arrival: Arrival) -> Outcome {
        let request: ReceivedPush
        switch arrival.request {
        case .failure(let rejection): return reject(arrival, because: rejection)
        case .success(let validated): request = validated
        }
        switch arrival.injection?.processing {
        case .rejected(let rejection):
            // An injected rejection ignores the token. A 410 dates from the addition of the fault.
            let isTokenInvalid = rejection.status == RejectionReason.unregistered.status
            let invalidSince = isTokenInvalid ? arrival.injection?.since : nil
            return reject(arrival, because: rejection, invalidSince: invalidSince, at: subject(of: request.address))
        case .unprocessed:
            return Outcome(entry: appendEntry(arrival, subject(of: request.address), hasResponse: false))
        case nil, .processed:
            break
        }
        switch request.address {
        case .device(let token): return receive(arrival, request, to: token)
        case .channel(let channelID): return publish(arrival, request, to: channelID)
        }
    }

    private mutating func receive(_ arrival: Arrival, _ request: ReceivedPush, to token: PushToken) -> Outcome {
        switch activityTokens.state(of: token) {
        case .live(let location):
            guard request.pushType == .liveActivity else {
                return reject(arrival, because: .deviceTokenNotForTopic, at: subject(at: location))
            }
            let activity = activity(at: location)
            if let invalidation = activity.invalidation(
                at: arrival.time,
                dismissalDelaySeconds: limits.dismissalDelaySeconds
            ) {
                activityTokens.invalidate(token, because: invalidation.cause, at: invalidation.time)
                return receive(arrival, request, to: token)
            }
            activityTokens.recordUse(of: token)
            return deliver(arrival, request, to: location)
        case .invalid(let location, let invalidation):
            activityTokens.recordRejection(of: token)
            return reject(arrival, to: location, because: invalidation)
        case .unknown:
            break
        }
        switch appTokens.state(of: token) {
        case .live(let destination):
            guard request.pushType == destination.kind.pushType else {
                return reject(arrival, because: .deviceTokenNotForTopic, at: subject(at: destination))
            }
            appTokens.recordUse(of: token)
            switch destination.kind {
            case .pushToStart: return start(arrival, request, on: destination.phoneIndex)
            case .device: return notify(arrival, request, on: destination.phoneIndex)
            case .widgets: return reloadWidgets(arrival, request, on: destination.phoneIndex)
            }
        case .invalid(let destination, let invalidation):
            appTokens.recordRejection(of: token)
            // A replaced push-to-start token is unknown at once.
            let isKnown = destination.kind != .pushToStart
            return reject(
                arrival,
                because: isKnown ? .unregistered : .badDeviceToken,
                invalidSince: isKnown ? invalidation.time : nil,
                at: subject(at: destination),
                PushInspection.pushToInvalidToken(invalidation)
            )
        case .unknown:
            return reject(arrival, because: .badDeviceToken)
        }
    }

    /// Returns the activity at a location.
    func activity(at location: ActivityLocation) -> PhoneActivity {
        phones[location.phoneIndex].activities[index(of: location)]
    }

    /// Returns an activity's index on its phone.
    func index(of location: ActivityLocation) -> Int {
        let index = phones[location.phoneIndex].activities.firstIndex { $0.id == location.activityID }
        guard let index else { preconditionFailure("an activity and its tokens are forgotten together") }
        return index
    }

    private func subject(of address: ReceivedPush.Address) -> Subject {
        guard case .device(let token) = address else { return .unknown }
        switch activityTokens.state(of: token) {
        case .live(let location), .invalid(let location, _): return subject(at: location)
        case .unknown: break
        }
        switch appTokens.state(of: token) {
        case .live(let destination), .invalid(let destination, _): return subject(at: destination)
        case .unknown: return .unknown
        }
    }

    private func subject(at destination: AppToken) -> Subject {
        Subject(phoneID: phones[destination.phoneIndex].id)
    }

    private func subject(at location: ActivityLocation) -> Subject {
        Subject(phoneID: phones[location.phoneIndex].id, activityID: location.activityID)
    }

    /// Rejects a request, and records its subject and the findings about it.
    mutating func reject(
        _ arrival: Arrival,
        because rejection: RejectionReason,
        invalidSince: Timestamp? = nil,
        at subject: Subject = .unknown,
        _ findings: [PushInspection.Finding] = []
    ) -> Outcome {
        Outcome(
            rejection: rejection,
            invalidSince: invalidSince,
            entry: appendEntry(arrival, subject, rejection: rejection),
            violations: record(findings, of: arrival.apnsID, subject, at: arrival.time)
        )
    }

    private mutating func reject(
        _ arrival: Arrival,
        to location: ActivityLocation,
        because invalidation: TokenInvalidation
    ) -> Outcome {
        let rejection: RejectionReason =
            switch invalidation.cause {
            case .rotated, .swipedAway, .switchedOff: .unregistered
            case .expired: .expiredToken
            }
        let findings =
            PushInspection.pushAfterEnd(of: activity(at: location), apnsID: arrival.apnsID)
            + PushInspection.pushToInvalidToken(invalidation)
        return reject(arrival, because: rejection, invalidSince: invalidation.time, at: subject(at: location), findings)
    }

    private mutating func deliver(_ arrival: Arrival, _ request: ReceivedPush, to location: ActivityLocation) -> Outcome
    {
        let payload = Result { try ReceivedPayload(decoding: request.payload) }
        // The findings contain the error.
        let read = try? payload.get()
        let alert = alert(of: read, on: location.phoneIndex, at: arrival.time)
        let index = index(of: location)
        let findings = PushInspection.inspectPush(
            request,
            arrival,
            payload,
            to: phones[location.phoneIndex].activities[index],
            catalog: catalog
        )
        phones[location.phoneIndex].activities[index]
            .recordAccepted(
                read,
                apnsID: arrival.apnsID,
                priority: request.priority,
                hasAlert: alert != nil,
                at: arrival.time
            )
        phones[location.phoneIndex].revision += 1
        let delivery = delivery(of: arrival, request, read, to: .activity(location.activityID), on: location.phoneIndex)
        let reaction = forward(delivery, at: arrival.time)
        return accept(arrival, at: subject(at: location), on: location.phoneIndex, read, reaction, alert, findings)
    }

    /// Delivers a start to a phone.
    private mutating func start(_ arrival: Arrival, _ request: ReceivedPush, on phoneIndex: Int) -> Outcome {
        let payload = Result { try ReceivedPayload(decoding: request.payload) }
        // The findings contain the error.
        let read = try? payload.get()
        let alert = alert(of: read, on: phoneIndex, at: arrival.time)
        let identity = PhoneActivity.Identity(seed: arrival.identitySeed)
        let delivery = delivery(of: arrival, request, read, to: .start(identity), on: phoneIndex)
        let reaction = forward(delivery, at: arrival.time)
        var findings = PushInspection.inspectStart(request, arrival, payload, catalog: catalog)
        if reaction == .overBudget { findings.append(PushInspection.tooManyStarts(perDay: limits.startsPerDay)) }
        let subject = Subject(phoneID: phones[phoneIndex].id, activityID: reaction == .shown ? identity.id : nil)
        return accept(arrival, at: subject, on: phoneIndex, read, reaction, alert, findings)
    }

    /// Returns a push's alert in a phone's language.
    func alert(of payload: ReceivedPayload?, on phoneIndex: Int, at now: Timestamp) -> ShownAlert? {
        payload?.alert.flatMap { ShownAlert($0, in: catalog, for: phones[phoneIndex].locale, at: now) }
    }

    /// Returns an accepted push on its way to a phone.
    func delivery(
        of arrival: Arrival,
        _ request: ReceivedPush,
        _ payload: ReceivedPayload?,
        to target: Delivery.Target,
        on phoneIndex: Int
    ) -> Delivery {
        Delivery(
            phoneIndex: phoneIndex,
            target: target,
            apnsID: arrival.apnsID,
            logNumber: log.lastNumber + 1,
            isBroadcast: false,
            acceptedAt: arrival.time,
            priority: request.priority,
            expirationEpochSeconds: request.expirationEpochSeconds,
            payload: payload
        )
    }

    /// Records an accepted push with the phone's reaction and the findings.
    mutating func accept(
        _ arrival: Arrival,
        at subject: Subject,
        on phoneIndex: Int,
        _ payload: ReceivedPayload?,
        _ reaction: PhoneActivity.Reaction,
        _ alert: ShownAlert?,
        _ findings: [PushInspection.Finding]
    ) -> Outcome {
        Outcome(
            entry: appendEntry(arrival, subject, payload, reaction: reaction, alert: alert),
            violations: record(findings, of: arrival.apnsID, subject, at: arrival.time),
            phoneIndices: [phoneIndex],
            uniqueID: arrival.uniqueID
        )
    }
}
