import LiveActivityContent

extension PhoneWall {
    /// A request as it reached APNs.
    struct Arrival: Sendable {
        let time: Moment
        /// As the sender chose it, or as APNs made it.
        let apnsID: String
        let payload: [UInt8]
        /// What it says beside the path, for people to read.
        var headers: [PushLog.Header] = []
        /// What the request asks for, or why it is refused before anyone looks for the token.
        let request: Result<PushRequest, APNsRefusal>
        /// What an activity gets that the push may start.
        let identity: PhoneActivity.Identity
        /// Apple's own name of the push, which it tells in the sandbox only.
        var uniqueID: String?
        /// What goes wrong with it on demand; nil when it is not in order, and nobody asks.
        var strike: FaultBook.Strike?

        /// What the log says of it, whatever became of it.
        var receipt: Receipt {
            Receipt(
                time: time,
                apnsID: apnsID,
                headers: headers,
                payload: payload,
                priority: (try? request.get())?.priority,
                fault: strike?.name
            )
        }
    }

    /// What APNs answers, and what else a request has changed.
    struct Outcome: Sendable {
        /// Nil when the push was accepted, and when it was not processed.
        let refusal: APNsRefusal?
        /// With ``APNsRefusal/unregistered`` and ``APNsRefusal/expiredToken``: since when.
        let deadSince: Moment?
        let entry: PushLog.Entry
        let violations: [Violation]
        /// The phones that a broadcast came to.
        var followers: [Phone] = []
        /// Apple's own name of an accepted push, where it tells one.
        var uniqueID: String?
        /// What goes wrong on demand; nil when the push is not in order, and nobody asks.
        var strike: FaultBook.Strike?
    }

    /// Takes a request: finds the activity, lets the phone show it, and writes down what happened.
    mutating func receive(_ arrival: Arrival) -> Outcome {
        var outcome = process(arrival)
        outcome.strike = arrival.strike
        return outcome
    }

    private mutating func process(_ arrival: Arrival) -> Outcome {
        switch arrival.request {
        case .failure(let refusal):
            return refuse(arrival, because: refusal)
        case .success(let request):
            switch arrival.strike?.deed {
            case .refusal(let refusal):
                return refuse(arrival, request, because: refusal)
            case .goAway, .reset, .connectionDrop, .stall:
                let place = place(of: request.token)
                let entry = write(arrival.receipt, place?.phoneID, place?.activityID, isAnswered: false)
                return Outcome(refusal: nil, deadSince: nil, entry: entry, violations: [])
            case nil, .latency, .oneStream, .lostAnswer: break
            }
            expire(request.token, at: arrival.time)
            switch addressBook.standing(of: request.token) {
            case .unknown:
                guard let phoneIndex = startTokens[request.token] else {
                    return refuse(arrival, because: .badDeviceToken)
                }
                return start(arrival, request, on: phoneIndex)
            case .live(let place):
                addressBook.noteUse(of: request.token)
                return deliver(arrival, request, to: place)
            case .dead(let place, let death):
                addressBook.noteRefusal(of: request.token)
                return refuse(arrival, to: place, because: death)
            }
        }
    }

    /// Ends the token of an activity that is over and has been gone for a while.
    private mutating func expire(_ token: PushToken, at now: Moment) {
        guard case .live(let place) = addressBook.standing(of: token),
            let since = activity(at: place).expiry(at: now)
        else { return }
        addressBook.kill(token, because: .expired, at: since)
    }

    private func activity(at place: AddressBook.Place) -> PhoneActivity {
        phones[place.phoneIndex].activities[index(of: place)]
    }

    /// Where among its phone's activities an activity is.
    private func index(of place: AddressBook.Place) -> Int {
        let index = phones[place.phoneIndex].activities.firstIndex { $0.id == place.activityID }
        guard let index else { preconditionFailure("an activity is forgotten with its tokens") }
        return index
    }

    /// What a fault refuses, whatever the token is; a token is dead since the fault began.
    private mutating func refuse(_ arrival: Arrival, _ request: PushRequest, because refusal: APNsRefusal) -> Outcome {
        let place = place(of: request.token)
        return Outcome(
            refusal: refusal,
            deadSince: refusal.status == APNsRefusal.unregistered.status ? arrival.strike?.since : nil,
            entry: write(arrival.receipt, place?.phoneID, place?.activityID, refusal: refusal),
            violations: []
        )
    }

    private func place(of token: PushToken) -> (phoneID: Identifier<Phone>, activityID: Identifier<PhoneActivity>?)? {
        switch addressBook.standing(of: token) {
        case .unknown: startTokens[token].map { (phones[$0].id, nil) }
        case .live(let place), .dead(let place, _): (phones[place.phoneIndex].id, place.activityID)
        }
    }

    private mutating func refuse(
        _ arrival: Arrival,
        to place: AddressBook.Place,
        because death: AddressBook.Death
    ) -> Outcome {
        let refusal: APNsRefusal =
            switch death.cause {
            case .rotated, .swipedAway, .switchedOff: .unregistered
            case .expired: .expiredToken
            }
        let phoneID = phones[place.phoneIndex].id
        let findings = Findings.ofPushToDeadToken(death, of: activity(at: place), apnsID: arrival.apnsID)
        return Outcome(
            refusal: refusal,
            deadSince: death.time,
            entry: write(arrival.receipt, phoneID, place.activityID, refusal: refusal),
            violations: record(findings, of: arrival.receipt, phoneID, place.activityID)
        )
    }

    private mutating func refuse(_ arrival: Arrival, because refusal: APNsRefusal) -> Outcome {
        Outcome(refusal: refusal, deadSince: nil, entry: write(arrival.receipt, refusal: refusal), violations: [])
    }

    private mutating func deliver(_ arrival: Arrival, _ request: PushRequest, to place: AddressBook.Place) -> Outcome {
        let phone = phones[place.phoneIndex]
        let activityIndex = index(of: place)
        let payload = Result { try ReceivedPayload(decoding: request.payload) }
        let read = try? payload.get()
        let alert = read?.alert.flatMap { ShownAlert($0, in: catalog, for: phone.locale, at: arrival.time) }
        let findings = Findings.of(
            request,
            apnsID: arrival.apnsID,
            payload: payload,
            for: phone.activities[activityIndex]
        )
        phones[place.phoneIndex].activities[activityIndex]
            .noteAccepted(read, apnsID: arrival.apnsID, priority: request.priority, hasAlert: alert != nil)
        phones[place.phoneIndex].revision += 1
        let reaction = forward(
            Delivery(
                phoneIndex: place.phoneIndex,
                target: .activity(place.activityID),
                apnsID: arrival.apnsID,
                priority: request.priority,
                expirationEpochSeconds: request.expirationEpochSeconds,
                payload: read
            ),
            at: arrival.time
        )
        return Outcome(
            refusal: nil,
            deadSince: nil,
            entry: write(arrival.receipt, phone.id, place.activityID, read, reaction: reaction, alert: alert),
            violations: record(findings, of: arrival.receipt, phone.id, place.activityID),
            uniqueID: arrival.uniqueID
        )
    }

    /// A phone is told to start an activity: it does when it understands everything, and has not been told too often.
    private mutating func start(_ arrival: Arrival, _ request: PushRequest, on phoneIndex: Int) -> Outcome {
        let phone = phones[phoneIndex]
        let payload = Result { try ReceivedPayload(decoding: request.payload) }
        let read = try? payload.get()
        let alert = read?.alert.flatMap { ShownAlert($0, in: catalog, for: phone.locale, at: arrival.time) }
        let reaction = forward(
            Delivery(
                phoneIndex: phoneIndex,
                target: .start(arrival.identity),
                apnsID: arrival.apnsID,
                priority: request.priority,
                expirationEpochSeconds: request.expirationEpochSeconds,
                payload: read
            ),
            at: arrival.time
        )
        let findings = Findings.ofStart(
            request,
            payload: payload,
            isWithinBudget: reaction != .overBudget,
            startsPerDay: limits.startsPerDay
        )
        let activityID = reaction == .shown ? arrival.identity.id : nil
        return Outcome(
            refusal: nil,
            deadSince: nil,
            entry: write(arrival.receipt, phone.id, activityID, read, reaction: reaction, alert: alert),
            violations: record(findings, of: arrival.receipt, phone.id, activityID),
            uniqueID: arrival.uniqueID
        )
    }
}
