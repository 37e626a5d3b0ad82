extension PhoneWall {
    /// Delivers a broadcast to all followers of a channel.
    mutating func publish(_ arrival: Arrival, _ request: ReceivedPush, to channelID: Channel.ID) -> Outcome {
        guard let channel = channels[channelID] else { return reject(arrival, because: .channelNotRegistered) }
        switch channel.storagePolicy {
        case .noMessage where request.expirationEpochSeconds != 0:
            return reject(arrival, because: .badExpirationDate)
        case .noMessage, .mostRecentMessage:
            break
        }
        let payload = Result { try ReceivedPayload(decoding: request.payload) }
        // The findings contain the error.
        let read = try? payload.get()
        let findings = PushInspection.inspectBroadcast(arrival, payload, to: channel, catalog: catalog)
        if let read { channels.recordPublished(read, apnsID: arrival.apnsID, to: channelID, at: arrival.time) }
        // Dismissed activities no longer follow the channel.
        let followers = channel.followers.filter { activity(at: $0).status(at: arrival.time) != .dismissed }
        let alert = read?.alert.flatMap { ShownAlert($0, in: catalog, for: catalog.sourceLanguage, at: arrival.time) }
        // One follower's delivery may flush a group on the same phone, so each reaction is counted when it happens.
        let entry = appendEntry(arrival, .unknown, read, reactions: [:], alert: alert)
        for location in followers {
            log.count(deliver(read, of: arrival, request, to: location, logNumber: entry.number))
            phones[location.phoneIndex].revision += 1
        }
        if let read, read.isPlausible(at: arrival.time) {
            let crowd = channels.deliver(read.timestamp, toCrowdOf: channelID)
            log.count(.shown, times: crowd.shown)
            log.count(.outdated, times: crowd.outdated)
        }
        return Outcome(
            entry: log.last ?? entry,
            violations: record(findings, of: arrival.apnsID, .unknown, at: arrival.time),
            phoneIndices: Set(followers.map(\.phoneIndex)).sorted(),
            uniqueID: arrival.uniqueID
        )
    }

    /// Delivers a broadcast to one follower.
    private mutating func deliver(
        _ payload: ReceivedPayload?,
        of arrival: Arrival,
        _ request: ReceivedPush,
        to location: ActivityLocation,
        logNumber: Int
    ) -> PhoneActivity.Reaction {
        let hasAlert = alert(of: payload, on: location.phoneIndex, at: arrival.time) != nil
        phones[location.phoneIndex].activities[index(of: location)]
            .recordAccepted(
                payload,
                apnsID: arrival.apnsID,
                priority: request.priority,
                hasAlert: hasAlert,
                at: arrival.time
            )
        let delivery = Delivery(
            phoneIndex: location.phoneIndex,
            target: .activity(location.activityID),
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
