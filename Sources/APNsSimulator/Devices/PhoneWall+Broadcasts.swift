extension PhoneWall {
    /// Lets everybody who follows a channel show what is published to it.
    mutating func publish(_ arrival: Arrival, _ request: PushRequest, to channelID: Channel.ID) -> Outcome {
        guard let channel = channels[channelID] else { return refuse(arrival, because: .channelNotRegistered) }
        switch channel.storagePolicy {
        case .noMessage where request.expirationEpochSeconds != 0:
            return refuse(arrival, because: .badExpirationDate)
        case .noMessage, .mostRecentMessage:
            break
        }
        let payload = Result { try ReceivedPayload(decoding: request.payload) }
        let read = try? payload.get()
        let findings = Findings.ofBroadcast(arrival, payload, to: channel)
        if let read { channels.notePublished(read, apnsID: arrival.apnsID, to: channelID) }
        for place in channel.followers {
            let hasAlert = alert(of: read, on: place.phoneIndex, at: arrival.time) != nil
            phones[place.phoneIndex].activities[index(of: place)]
                .noteAccepted(
                    read,
                    apnsID: arrival.apnsID,
                    priority: request.priority,
                    hasAlert: hasAlert,
                    at: arrival.time
                )
            let delivery = Delivery(
                phoneIndex: place.phoneIndex,
                target: .activity(place.activityID),
                apnsID: arrival.apnsID,
                logNumber: nil,
                acceptedAt: arrival.time,
                priority: request.priority,
                expirationEpochSeconds: request.expirationEpochSeconds,
                payload: read
            )
            _ = forward(delivery, at: arrival.time)
            phones[place.phoneIndex].revision += 1
        }
        return Outcome(
            entry: write(arrival, .nobody, read),
            violations: record(findings, of: arrival.apnsID, .nobody, at: arrival.time),
            phoneIndices: Set(channel.followers.map(\.phoneIndex)).sorted(),
            uniqueID: arrival.uniqueID
        )
    }
}
