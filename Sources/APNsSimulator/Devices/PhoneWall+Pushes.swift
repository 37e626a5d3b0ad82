extension PhoneWall {
    /// A request as it reached APNs.
    struct Arrival: Sendable {
        let time: Moment
        /// As the sender chose it, or as APNs made it.
        let apnsID: String
        let payload: [UInt8]
        /// What the request asks for, or why it is refused before anyone looks for the token.
        let request: Result<PushRequest, APNsRefusal>
    }

    /// What APNs answers, and what else a request has changed.
    struct Outcome: Sendable {
        /// Nil when the push was accepted.
        let refusal: APNsRefusal?
        /// With ``APNsRefusal/unregistered``: since when.
        let deadSince: Moment?
        let entry: PushLog.Entry
        let violations: [Violation]
    }

    /// Takes a request: finds the activity, lets the phone show it, and writes down what happened.
    mutating func receive(_ arrival: Arrival) -> Outcome {
        switch arrival.request {
        case .failure(let refusal):
            return refuse(arrival, because: refusal)
        case .success(let request):
            switch addressBook.standing(of: request.token) {
            case .unknown:
                return refuse(arrival, because: .badDeviceToken)
            case .live(let place):
                addressBook.noteUse(of: request.token)
                return deliver(arrival, request, to: place)
            case .dead(let place, let deadSince, let hasBeenRefused, let isSuccessorUsed):
                addressBook.noteRefusal(of: request.token)
                let findings = Findings.ofPushToDeadToken(
                    hasBeenRefused: hasBeenRefused,
                    isSuccessorUsed: isSuccessorUsed
                )
                return Outcome(
                    refusal: .unregistered,
                    deadSince: deadSince,
                    entry: write(arrival, for: place, refusal: .unregistered),
                    violations: record(findings, arrival, for: place)
                )
            }
        }
    }

    private mutating func refuse(_ arrival: Arrival, because refusal: APNsRefusal) -> Outcome {
        Outcome(refusal: refusal, deadSince: nil, entry: write(arrival, refusal: refusal), violations: [])
    }

    private mutating func deliver(_ arrival: Arrival, _ request: PushRequest, to place: AddressBook.Place) -> Outcome {
        let phone = phones[place.phoneIndex]
        guard let activityIndex = phone.activities.firstIndex(where: { $0.id == place.activityID }) else {
            preconditionFailure("an activity is forgotten with its tokens")
        }
        let before = phone.activities[activityIndex]
        let payload = Result { try ReceivedPayload(decoding: request.payload) }
        let alert = (try? payload.get())?.alert.flatMap {
            ShownAlert($0, in: catalog, for: phone.locale, at: arrival.time)
        }
        let reaction = phones[place.phoneIndex].activities[activityIndex].receive(
            try? payload.get(),
            priority: request.priority,
            apnsID: arrival.apnsID,
            alert: alert,
            at: arrival.time,
            say: { catalog.text($0, for: phone.locale) }
        )
        phones[place.phoneIndex].revision += 1
        let findings = Findings.of(request, apnsID: arrival.apnsID, payload: payload, for: before)
        return Outcome(
            refusal: nil,
            deadSince: nil,
            entry: write(arrival, for: place, try? payload.get(), reaction: reaction, alert: alert),
            violations: record(findings, arrival, for: place)
        )
    }

    private mutating func write(
        _ arrival: Arrival,
        for place: AddressBook.Place? = nil,
        _ payload: ReceivedPayload? = nil,
        refusal: APNsRefusal? = nil,
        reaction: PhoneActivity.Reaction? = nil,
        alert: ShownAlert? = nil
    ) -> PushLog.Entry {
        log.append { number in
            PushLog.Entry(
                number: number,
                time: arrival.time,
                phoneID: place.map { phones[$0.phoneIndex].id },
                activityID: place?.activityID,
                priority: (try? arrival.request.get())?.priority,
                event: payload?.event,
                timestamp: payload?.timestamp,
                apnsID: arrival.apnsID,
                size: arrival.payload.count,
                status: refusal?.status ?? 200,
                reason: refusal?.rawValue,
                reaction: reaction,
                alert: alert,
                payload: String(decoding: arrival.payload.prefix(PushRequest.maximumPayloadBytes), as: UTF8.self)
            )
        }
    }

    private mutating func record(
        _ findings: [Findings.Finding],
        _ arrival: Arrival,
        for place: AddressBook.Place
    ) -> [Violation] {
        let phoneID = phones[place.phoneIndex].id
        let found = findings.prefix(Self.maximumViolations - violations.count).enumerated().map { offset, finding in
            Violation(
                number: violations.count + offset + 1,
                time: arrival.time,
                kind: finding.kind,
                phoneID: phoneID,
                activityID: place.activityID,
                apnsID: arrival.apnsID,
                detail: finding.detail
            )
        }
        violations += found
        return found
    }
}
