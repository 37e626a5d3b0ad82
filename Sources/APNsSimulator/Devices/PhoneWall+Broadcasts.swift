extension PhoneWall {
    /// A request to publish as it reached APNs.
    struct BroadcastArrival: Sendable {
        let time: Moment
        /// `apns-request-id`: as the sender chose it, or as APNs made it.
        let requestID: String
        let payload: [UInt8]
        /// What it says beside the path, for people to read.
        var headers: [PushLog.Header] = []
        /// What the request asks for, or why it is refused before anyone looks for the channel.
        let request: Result<BroadcastRequest, APNsRefusal>
        /// Apple's own name of the broadcast.
        let uniqueID: String
        /// What goes wrong with it on demand; nil when it is not in order, and nobody asks.
        var strike: FaultBook.Strike?

        /// What the log says of it, whatever became of it.
        var receipt: Receipt {
            let request = try? request.get()
            return Receipt(
                time: time,
                apnsID: requestID,
                headers: headers,
                payload: payload,
                priority: request?.priority,
                fault: strike?.name,
                channelID: request?.channelID
            )
        }
    }

    /// Takes a request to publish: lets everybody who follows the channel show it, and writes down what happened.
    mutating func publish(_ arrival: BroadcastArrival) -> Outcome {
        var outcome = process(arrival)
        outcome.strike = arrival.strike
        return outcome
    }

    private mutating func process(_ arrival: BroadcastArrival) -> Outcome {
        switch arrival.request {
        case .failure(let refusal):
            return refuse(arrival, because: refusal)
        case .success(let request):
            switch arrival.strike?.deed {
            case .refusal(let refusal):
                return refuse(arrival, because: refusal)
            case .goAway, .reset, .connectionDrop, .stall:
                let entry = write(arrival.receipt, isAnswered: false)
                return Outcome(refusal: nil, deadSince: nil, entry: entry, violations: [])
            case nil, .latency, .oneStream, .lostAnswer: break
            }
            guard let channel = channels[request.channelID] else {
                return refuse(arrival, because: .channelNotRegistered)
            }
            switch channel.storagePolicy {
            case .noMessage where request.expirationEpochSeconds != 0:
                return refuse(arrival, because: .badExpirationDate)
            case .noMessage, .mostRecentMessage:
                return publish(arrival, request, to: channel)
            }
        }
    }

    private mutating func refuse(_ arrival: BroadcastArrival, because refusal: APNsRefusal) -> Outcome {
        Outcome(
            refusal: refusal,
            deadSince: nil,
            entry: write(arrival.receipt, refusal: refusal),
            violations: []
        )
    }

    private mutating func publish(
        _ arrival: BroadcastArrival,
        _ request: BroadcastRequest,
        to channel: Channel
    ) -> Outcome {
        let payload = Result { try ReceivedPayload(decoding: request.payload) }
        let read = try? payload.get()
        let findings = Findings.ofBroadcast(payload, newestTimestamp: channel.newestTimestamp)
        if let read { channels.notePublished(read.timestamp, to: request.channelID) }
        for place in channel.followers {
            let delivery = Delivery(
                phoneIndex: place.phoneIndex,
                target: .activity(place.activityID),
                isBroadcast: true,
                apnsID: arrival.requestID,
                priority: request.priority,
                expirationEpochSeconds: request.expirationEpochSeconds,
                payload: read
            )
            _ = forward(delivery, at: arrival.time)
            phones[place.phoneIndex].revision += 1
        }
        return Outcome(
            refusal: nil,
            deadSince: nil,
            entry: write(arrival.receipt, nil, nil, read),
            violations: record(findings, of: arrival.receipt, nil, nil),
            followers: Set(channel.followers.map(\.phoneIndex)).sorted().map { phones[$0] },
            uniqueID: arrival.uniqueID
        )
    }
}
