extension PhoneWall {
    /// A request to push as it reached APNs.
    struct Arrival: Sendable {
        let time: Moment
        /// `apns-id`, or `apns-request-id` of a broadcast: as the sender chose it, or as APNs made it.
        let apnsID: String
        let payload: [UInt8]
        /// What it says beside the path, for people to read.
        var headers: [PushLog.Header] = []
        /// What the request asks for, or why it is refused before anyone looks for its address.
        let request: Result<PushRequest, APNsRefusal>
        /// What the identity of an activity is drawn from that the push may start.
        var chance: UInt64 = 0
        /// Apple's own name of the push, where it tells one.
        var uniqueID: String?
        /// What goes wrong with it on demand; nil when it is not in order, and nobody asks.
        var strike: FaultBook.Strike?
    }

    /// What APNs answers, and what else a request has changed.
    struct Outcome: Sendable {
        /// Nil when the push was accepted, and when it was not processed.
        var refusal: APNsRefusal?
        /// With ``APNsRefusal/unregistered`` and ``APNsRefusal/expiredToken``: since when.
        var deadSince: Moment?
        let entry: PushLog.Entry
        var violations: [Violation] = []
        /// The phones that it came to, by their indices.
        var phoneIndices: [Int] = []
        /// Apple's own name of an accepted push, where it tells one.
        var uniqueID: String?
        /// What goes wrong on demand; nil when the push is not in order, and nobody asks.
        var strike: FaultBook.Strike?
    }

    /// Takes a request: finds whom it is for, lets their phones show it, and writes down what happened.
    mutating func receive(_ arrival: Arrival) -> Outcome {
        var outcome = process(arrival)
        outcome.strike = arrival.strike
        return outcome
    }

    private mutating func process(_ arrival: Arrival) -> Outcome {
        let request: PushRequest
        switch arrival.request {
        case .failure(let refusal): return refuse(arrival, because: refusal)
        case .success(let good): request = good
        }
        switch arrival.strike?.effect {
        case .refused(let refusal):
            // A fault refuses whatever the token is; a token is dead since the fault began.
            let isDead = refusal.status == APNsRefusal.unregistered.status
            let deadSince = isDead ? arrival.strike?.since : nil
            return refuse(arrival, because: refusal, deadSince: deadSince, at: subject(of: request.address))
        case .unprocessed:
            return Outcome(entry: write(arrival, subject(of: request.address), isAnswered: false))
        case nil, .processed:
            break
        }
        switch request.address {
        case .device(let token): return receive(arrival, request, to: token)
        case .channel(let channelID): return publish(arrival, request, to: channelID)
        }
    }

    private mutating func receive(_ arrival: Arrival, _ request: PushRequest, to token: PushToken) -> Outcome {
        switch activityTokens.standing(of: token) {
        case .live(let place):
            let activity = activity(at: place)
            if let death = activity.death(at: arrival.time, dismissalDelaySeconds: limits.dismissalDelaySeconds) {
                activityTokens.kill(token, because: death.cause, at: death.time)
                return receive(arrival, request, to: token)
            }
            activityTokens.noteUse(of: token)
            return deliver(arrival, request, to: place)
        case .dead(let place, let death):
            activityTokens.noteRefusal(of: token)
            return refuse(arrival, to: place, because: death)
        case .unknown:
            break
        }
        switch startTokens.standing(of: token) {
        case .live(let phoneIndex):
            startTokens.noteUse(of: token)
            return start(arrival, request, on: phoneIndex)
        case .dead(let phoneIndex, let death):
            startTokens.noteRefusal(of: token)
            let findings = Findings.ofPush(toDeadToken: death)
            let subject = Subject(phoneID: phones[phoneIndex].id)
            return refuse(arrival, because: .badDeviceToken, at: subject, findings)
        case .unknown:
            return refuse(arrival, because: .badDeviceToken)
        }
    }

    /// The activity there.
    func activity(at place: ActivityPlace) -> PhoneActivity {
        phones[place.phoneIndex].activities[index(of: place)]
    }

    /// Where among its phone's activities an activity is.
    func index(of place: ActivityPlace) -> Int {
        let index = phones[place.phoneIndex].activities.firstIndex { $0.id == place.activityID }
        guard let index else { preconditionFailure("an activity is forgotten with its tokens") }
        return index
    }

    private func subject(of address: PushRequest.Address) -> Subject {
        guard case .device(let token) = address else { return .nobody }
        switch activityTokens.standing(of: token) {
        case .live(let place), .dead(let place, _): return subject(at: place)
        case .unknown: break
        }
        switch startTokens.standing(of: token) {
        case .live(let phoneIndex), .dead(let phoneIndex, _): return Subject(phoneID: phones[phoneIndex].id)
        case .unknown: return .nobody
        }
    }

    private func subject(at place: ActivityPlace) -> Subject {
        Subject(phoneID: phones[place.phoneIndex].id, activityID: place.activityID)
    }

    /// Refuses a request; what it was for is told by `subject`, and what was wrong with it by `findings`.
    mutating func refuse(
        _ arrival: Arrival,
        because refusal: APNsRefusal,
        deadSince: Moment? = nil,
        at subject: Subject = .nobody,
        _ findings: [Findings.Finding] = []
    ) -> Outcome {
        Outcome(
            refusal: refusal,
            deadSince: deadSince,
            entry: write(arrival, subject, refusal: refusal),
            violations: record(findings, of: arrival.apnsID, subject, at: arrival.time)
        )
    }

    private mutating func refuse(_ arrival: Arrival, to place: ActivityPlace, because death: TokenDeath) -> Outcome {
        let refusal: APNsRefusal =
            switch death.cause {
            case .rotated, .swipedAway, .switchedOff: .unregistered
            case .expired: .expiredToken
            }
        let findings =
            Findings.ofPush(afterEndOf: activity(at: place), apnsID: arrival.apnsID)
            + Findings.ofPush(toDeadToken: death)
        return refuse(arrival, because: refusal, deadSince: death.time, at: subject(at: place), findings)
    }

    private mutating func deliver(_ arrival: Arrival, _ request: PushRequest, to place: ActivityPlace) -> Outcome {
        let payload = Result { try ReceivedPayload(decoding: request.payload) }
        // Why it cannot be read is in the findings.
        let read = try? payload.get()
        let alert = alert(of: read, on: place.phoneIndex, at: arrival.time)
        let index = index(of: place)
        let findings = Findings.ofPush(
            request,
            arrival,
            payload,
            to: phones[place.phoneIndex].activities[index],
            saying: catalog
        )
        phones[place.phoneIndex].activities[index]
            .noteAccepted(
                read,
                apnsID: arrival.apnsID,
                priority: request.priority,
                hasAlert: alert != nil,
                at: arrival.time
            )
        phones[place.phoneIndex].revision += 1
        let delivery = delivery(of: arrival, request, read, to: .activity(place.activityID), on: place.phoneIndex)
        let reaction = forward(delivery, at: arrival.time)
        return accept(arrival, at: subject(at: place), on: place.phoneIndex, read, reaction, alert, findings)
    }

    /// A phone is told to start an activity: it does when it understands everything, and has not been told too often.
    private mutating func start(_ arrival: Arrival, _ request: PushRequest, on phoneIndex: Int) -> Outcome {
        let payload = Result { try ReceivedPayload(decoding: request.payload) }
        // Why it cannot be read is in the findings.
        let read = try? payload.get()
        let alert = alert(of: read, on: phoneIndex, at: arrival.time)
        let identity = PhoneActivity.Identity(drawnFrom: arrival.chance)
        let delivery = delivery(of: arrival, request, read, to: .start(identity), on: phoneIndex)
        let reaction = forward(delivery, at: arrival.time)
        var findings = Findings.ofStart(request, arrival, payload, saying: catalog)
        if reaction == .overBudget { findings.append(Findings.ofTooManyStarts(perDay: limits.startsPerDay)) }
        let subject = Subject(phoneID: phones[phoneIndex].id, activityID: reaction == .shown ? identity.id : nil)
        return accept(arrival, at: subject, on: phoneIndex, read, reaction, alert, findings)
    }

    /// The alert of a push as a phone says it.
    func alert(of payload: ReceivedPayload?, on phoneIndex: Int, at now: Moment) -> ShownAlert? {
        payload?.alert.flatMap { ShownAlert($0, in: catalog, for: phones[phoneIndex].locale, at: now) }
    }

    private func delivery(
        of arrival: Arrival,
        _ request: PushRequest,
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

    private mutating func accept(
        _ arrival: Arrival,
        at subject: Subject,
        on phoneIndex: Int,
        _ payload: ReceivedPayload?,
        _ reaction: PhoneActivity.Reaction,
        _ alert: ShownAlert?,
        _ findings: [Findings.Finding]
    ) -> Outcome {
        Outcome(
            entry: write(arrival, subject, payload, reaction: reaction, alert: alert),
            violations: record(findings, of: arrival.apnsID, subject, at: arrival.time),
            phoneIndices: [phoneIndex],
            uniqueID: arrival.uniqueID
        )
    }
}
