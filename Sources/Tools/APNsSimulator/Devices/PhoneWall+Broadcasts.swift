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
        // Why it cannot be read is in the findings.
        let read = try? payload.get()
        let findings = Findings.ofBroadcast(arrival, payload, to: channel, saying: catalog)
        if let read { channels.notePublished(read, apnsID: arrival.apnsID, to: channelID, at: arrival.time) }
        // What has left the screen follows nothing any more.
        let followers = channel.followers.filter { activity(at: $0).status(at: arrival.time) != .dismissed }
        let alert = read?.alert.flatMap { ShownAlert($0, in: catalog, for: catalog.sourceLanguage, at: arrival.time) }
        // One follower may let through what waits for another one on the same phone, so each is counted when it reacts.
        let entry = write(arrival, .nobody, read, reactions: [:], alert: alert)
        for place in followers {
            log.count(deliver(read, of: arrival, request, to: place, logNumber: entry.number))
            phones[place.phoneIndex].revision += 1
        }
        return Outcome(
            entry: log.last ?? entry,
            violations: record(findings, of: arrival.apnsID, .nobody, at: arrival.time),
            phoneIndices: Set(followers.map(\.phoneIndex)).sorted(),
            uniqueID: arrival.uniqueID
        )
    }

    /// Lets one of a channel's followers have a broadcast.
    private mutating func deliver(
        _ payload: ReceivedPayload?,
        of arrival: Arrival,
        _ request: PushRequest,
        to place: ActivityPlace,
        logNumber: Int
    ) -> PhoneActivity.Reaction {
        let hasAlert = alert(of: payload, on: place.phoneIndex, at: arrival.time) != nil
        phones[place.phoneIndex].activities[index(of: place)]
            .noteAccepted(
                payload,
                apnsID: arrival.apnsID,
                priority: request.priority,
                hasAlert: hasAlert,
                at: arrival.time
            )
        let delivery = Delivery(
            phoneIndex: place.phoneIndex,
            target: .activity(place.activityID),
            apnsID: arrival.apnsID,
            logNumber: logNumber,
            isBroadcast: true,
            acceptedAt: arrival.time,
            priority: request.priority,
            expirationEpochSeconds: request.expirationEpochSeconds,
            payload: payload
        )
        return forward(delivery, at: arrival.time)
    }
}
