import Encodings
import LiveActivityContent

extension PhoneWall {
    /// Delivers an accepted push to its phone, or holds it until that is possible.
    mutating func forward(_ delivery: Delivery, at now: Timestamp) -> PhoneActivity.Reaction {
        guard phones[delivery.phoneIndex].isOnline else { return store(delivery, at: now) }
        if storage.group(delivery, at: now) { return .grouped }
        deliverGroup(to: delivery.phoneIndex, at: now)
        return deliverNow(delivery, at: now)
    }

    private mutating func store(_ delivery: Delivery, at now: Timestamp) -> PhoneActivity.Reaction {
        switch storage.store(delivery, at: now) {
        case .notKept:
            return .offline
        case .kept(let replaced):
            if let replaced { updateReaction(replaced, from: .stored, to: .replaced, at: now) }
            return .stored
        }
    }

    /// Delivers the stored pushes of a phone that is online again.
    mutating func deliverStored(to phoneIndex: Int, at now: Timestamp) {
        for (delivery, isExpired) in storage.takeStored(for: phoneIndex, at: now) {
            updateReaction(delivery, from: .stored, to: isExpired ? .expired : deliverNow(delivery, at: now), at: now)
        }
    }

    /// Delivers the groups of pushes of priority 5 that are due.
    /// - Returns: the indices of their phones.
    mutating func deliverDueGroups(at now: Timestamp) -> [Int] {
        let phoneIndices = storage.phonesWithDueGroups(at: now)
        for phoneIndex in phoneIndices {
            deliverGroup(to: phoneIndex, at: now)
            phones[phoneIndex].revision += 1
        }
        return phoneIndices
    }

    private mutating func deliverGroup(to phoneIndex: Int, at now: Timestamp) {
        for delivery in storage.takeGroup(for: phoneIndex) {
            // A phone that has gone offline in the meantime gets the last push of the group later.
            let isOnline = phones[phoneIndex].isOnline
            let reaction = isOnline ? deliverNow(delivery, at: now) : store(delivery, at: now)
            updateReaction(delivery, from: .grouped, to: reaction, at: now)
        }
    }

    private mutating func deliverNow(_ delivery: Delivery, at now: Timestamp) -> PhoneActivity.Reaction {
        let alert = alert(of: delivery.payload, on: delivery.phoneIndex, at: now)
        switch delivery.target {
        case .notification(let notification, let collapseID):
            return show(notification, collapseID: collapseID, of: delivery, at: now)
        case .widgets(let isContentChanged):
            guard isContentChanged else { return .unreadable }
            return phones[delivery.phoneIndex].widgets.reload(at: now) ? .shown : .overReloadBudget
        case .start(let identity):
            return start(delivery, as: identity, alert: alert, at: now)
        case .activity(let activityID):
            // A delayed push can arrive after its activity was forgotten.
            guard let index = phones[delivery.phoneIndex].activities.firstIndex(where: { $0.id == activityID }) else {
                return .over
            }
            guard spendBudget(delivery.priority, on: delivery.phoneIndex, at: now) else { return .throttled }
            return phones[delivery.phoneIndex].activities[index].receive(delivery, alert: alert, at: now)
        }
    }

    /// Spends the budget for priority 10.
    ///
    /// Without budget the phone drops the push, and the sender is not notified.
    private mutating func spendBudget(_ priority: ReceivedPush.Priority, on phoneIndex: Int, at now: Timestamp) -> Bool
    {
        switch priority {
        case .lowest, .low: true
        case .high: phones[phoneIndex].highPriorityBudget.spend(at: now)
        }
    }

    private mutating func start(
        _ delivery: Delivery,
        as identity: PhoneActivity.Identity,
        alert: ShownAlert?,
        at now: Timestamp
    ) -> PhoneActivity.Reaction {
        guard let payload = delivery.payload, payload.event == .start else { return .unreadable }
        guard payload.isPlausible(at: delivery.acceptedAt) else { return .implausible }
        guard phones[delivery.phoneIndex].liveActivitiesEnabled else { return .activitiesOff }
        guard phones[delivery.phoneIndex].startBudget.spend(at: now) else { return .overBudget }
        guard phones[delivery.phoneIndex].canStartActivity(at: now) else { return .tooManyActivities }
        let isCreated = createActivity(identity, of: payload, alert: alert, on: delivery.phoneIndex, at: now)
        return isCreated ? .shown : .unreadable
    }

    /// Creates the activity of a start.
    /// - Returns: false when the push lacks data that the phone needs.
    private mutating func createActivity(
        _ identity: PhoneActivity.Identity,
        of payload: ReceivedPayload,
        alert: ShownAlert?,
        on phoneIndex: Int,
        at now: Timestamp
    ) -> Bool {
        guard let attributes = payload.attributes, let state = payload.contentState, let alert,
            let adventureID = WallID<PhoneActivity.Adventure>(attributes.adventureID)
        else {
            return false
        }
        let location = ActivityLocation(phoneIndex: phoneIndex, activityID: identity.id)
        // A start for an unknown channel has no effect.
        if let channelID = payload.inputPushChannel, !channels.follow(channelID, location) { return false }
        let activity = PhoneActivity.started(
            by: payload,
            attributes: attributes,
            adventureID: adventureID,
            state: state,
            as: identity,
            alert: alert,
            at: now
        )
        activityTokens.add(activity.token, for: location)
        phones[phoneIndex].activities.append(activity)
        phones[phoneIndex].revision += 1
        return true
    }
}
