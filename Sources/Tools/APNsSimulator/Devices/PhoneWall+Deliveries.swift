import LiveActivityContent

extension PhoneWall {
    /// Lets an accepted push come through to its phone, or keeps it until that is possible.
    mutating func forward(_ delivery: Delivery, at now: Moment) -> PhoneActivity.Reaction {
        guard phones[delivery.phoneIndex].isOnline else { return store(delivery, at: now) }
        if storage.group(delivery, at: now) { return .grouped }
        deliverGroup(to: delivery.phoneIndex, at: now)
        return comeThrough(delivery, at: now)
    }

    private mutating func store(_ delivery: Delivery, at now: Moment) -> PhoneActivity.Reaction {
        switch storage.store(delivery, at: now) {
        case .notKept:
            return .offline
        case .kept(let replaced):
            if let replaced { settle(replaced, from: .stored, to: .replaced, at: now) }
            return .stored
        }
    }

    /// Lets through what has waited for a phone that was out of reach.
    mutating func deliverStored(to phoneIndex: Int, at now: Moment) {
        for (delivery, isExpired) in storage.takeStored(for: phoneIndex, at: now) {
            settle(delivery, from: .stored, to: isExpired ? .expired : comeThrough(delivery, at: now), at: now)
        }
    }

    /// Lets through the groups of priority 5 that have waited for long enough.
    /// - Returns: the phones that they came to, by their indices.
    mutating func deliverDueGroups(at now: Moment) -> [Int] {
        let phoneIndices = storage.phonesWithDueGroups(at: now)
        for phoneIndex in phoneIndices {
            deliverGroup(to: phoneIndex, at: now)
            phones[phoneIndex].revision += 1
        }
        return phoneIndices
    }

    private mutating func deliverGroup(to phoneIndex: Int, at now: Moment) {
        for delivery in storage.takeGroup(for: phoneIndex) {
            // A phone that went out of reach meanwhile gets the last of them.
            let isOnline = phones[phoneIndex].isOnline
            let reaction = isOnline ? comeThrough(delivery, at: now) : store(delivery, at: now)
            settle(delivery, from: .grouped, to: reaction, at: now)
        }
    }

    private mutating func comeThrough(_ delivery: Delivery, at now: Moment) -> PhoneActivity.Reaction {
        let alert = alert(of: delivery.payload, on: delivery.phoneIndex, at: now)
        switch delivery.target {
        case .start(let identity):
            return start(delivery, as: identity, alert: alert, at: now)
        case .activity(let activityID):
            // What has waited may come for an activity that is long forgotten.
            guard let index = phones[delivery.phoneIndex].activities.firstIndex(where: { $0.id == activityID }) else {
                return .over
            }
            guard takeBudget(delivery.priority, on: delivery.phoneIndex, at: now) else { return .throttled }
            return phones[delivery.phoneIndex].activities[index].receive(delivery, alert: alert, at: now)
        }
    }

    /// Nothing of priority 10 comes to a phone that has had enough of it, and the sender hears nothing of that.
    private mutating func takeBudget(_ priority: PushRequest.Priority, on phoneIndex: Int, at now: Moment) -> Bool {
        switch priority {
        case .low: true
        case .high: phones[phoneIndex].highBudget.take(at: now)
        }
    }

    private mutating func start(
        _ delivery: Delivery,
        as identity: PhoneActivity.Identity,
        alert: ShownAlert?,
        at now: Moment
    ) -> PhoneActivity.Reaction {
        guard let payload = delivery.payload, payload.event == .start else { return .unreadable }
        guard payload.isPlausible(at: delivery.acceptedAt) else { return .implausible }
        guard phones[delivery.phoneIndex].startBudget.take(at: now) else { return .overBudget }
        guard phones[delivery.phoneIndex].takesActivity(at: now) else { return .tooManyActivities }
        let isMade = makeActivity(identity, of: payload, alert: alert, on: delivery.phoneIndex, at: now)
        return isMade ? .shown : .unreadable
    }

    /// Makes the activity of a start.
    /// - Returns: false when the phone lacks something that it needs, and makes none.
    private mutating func makeActivity(
        _ identity: PhoneActivity.Identity,
        of payload: ReceivedPayload,
        alert: ShownAlert?,
        on phoneIndex: Int,
        at now: Moment
    ) -> Bool {
        guard let attributes = payload.attributes, let state = payload.contentState, let alert,
            let adventureID = Identifier<PhoneActivity.Adventure>(attributes.adventureID)
        else {
            return false
        }
        let place = ActivityPlace(phoneIndex: phoneIndex, activityID: identity.id)
        // A start for a channel that is not there does nothing.
        if let channelID = payload.inputPushChannel, !channels.follow(channelID, place) { return false }
        let activity = PhoneActivity.started(
            by: payload,
            attributes: attributes,
            adventureID: adventureID,
            state: state,
            as: identity,
            alert: alert,
            at: now
        )
        activityTokens.add(activity.token, for: place)
        phones[phoneIndex].activities.append(activity)
        phones[phoneIndex].revision += 1
        return true
    }
}
