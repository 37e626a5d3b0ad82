public import Encodings
public import GameCore
public import GameLog
import GameStore
import ServiceRuntime
import Synchronization

/// The registration of a Live Activity by an app.
public struct ActivityRegistration: Sendable, Hashable {
    /// The activity's identifier, chosen by the app.
    public let id: ActivityID
    /// The device that shows it.
    public let deviceID: DeviceID
    /// The bytes of its push token.
    public let pushToken: [UInt8]
    /// The APNs environment of the token.
    public let environment: PushEnvironment
    /// ActivityKit's `frequentPushesEnabled`.
    public let frequentPushesEnabled: Bool
    /// The device's language (BCP 47), if the app sends it.
    public let locale: String?
    /// When a scheduled activity starts or has started; nil if it has started before its registration.
    public let startsAt: Timestamp?

    /// Creates a registration.
    public init(
        id: ActivityID,
        deviceID: DeviceID,
        pushToken: [UInt8],
        environment: PushEnvironment,
        frequentPushesEnabled: Bool,
        locale: String?,
        startsAt: Timestamp? = nil
    ) {
        self.id = id
        self.deviceID = deviceID
        self.pushToken = pushToken
        self.environment = environment
        self.frequentPushesEnabled = frequentPushesEnabled
        self.locale = locale
        self.startsAt = startsAt
    }
}

extension GameCommands {
    /// The maximum number of live activities that a player may have of one adventure, on all devices.
    public static let maxActivities = 8
    /// How far ahead an app may schedule an activity.
    public static let maxScheduleAhead = Duration.seconds(7 * 86_400)
    /// The maximum time for which a device shows an activity: eight hours, and four more on the Lock Screen.
    private static let activityLifetime = RetentionSettings.activityLifetime
    /// The minimum age of an activity to be released because it is missing from a device's list.
    ///
    /// It exceeds the duration of any request: a device creates its list before it sends the request, and may register
    /// an activity in between.
    public static let listMargin = Duration.seconds(30)

    /// Registers a Live Activity, or replaces the push token, the locale and the start of a registered one.
    ///
    /// A previous token is invalid from then on. A token belongs to one activity: another activity with the token, also of
    /// another player who used the phone, is released, and the timestamps of pushes to the token go on.
    ///
    /// The adventure may have ended: the activity then receives the final state and `end`.
    /// - Parameters:
    ///   - registration: the registration.
    ///   - adventureID: the adventure that the activity shows.
    ///   - playerID: the caller, who must have a seat in the adventure.
    ///   - request: the idempotency key, if any.
    ///   - render: creates the response; `isNew` is false for a rotation or a repetition.
    /// - Returns: the response.
    /// - Throws: ``CommandError``; errors of the store.
    public func register(
        _ registration: ActivityRegistration,
        for adventureID: AdventureID,
        by playerID: PlayerID,
        request: IdempotentRequest?,
        render: @Sendable (Activity, _ isNew: Bool) throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        guard let device = try await store.device(registration.deviceID, of: playerID) else {
            throw CommandError.unknownDevice
        }
        // A new token of a known activity uses no quota.
        var isCounted = quotas.limit(of: .activity) != nil
        if isCounted { isCounted = try await store.activity(registration.id, of: adventureID) == nil }
        let response: EncodedResponse
        if isCounted {
            response = try await withQuota(.activity, of: playerID, in: adventureID.shard, request: request) {
                let isFirst = Mutex(false)
                let response = try await store(
                    registration,
                    on: device,
                    for: adventureID,
                    request: request
                ) { activity, isNew in
                    isFirst.withLock { $0 = isNew }
                    return try render(activity, isNew)
                }
                return (response, isFirst.withLock { $0 })
            }
        } else {
            response = try await store(registration, on: device, for: adventureID, request: request, render: render)
        }
        // From here on the activity is stored, whatever fails.
        guard let newest = try await store.device(device.id, of: playerID) else {
            // The removal of the device may have come too early to see the activity.
            try await releaseActivities(ofRemovedDevice: device.id, of: playerID)
            throw CommandError.unknownDevice
        }
        // Read again, since another request may have registered the token meanwhile.
        for owner in try await otherActivities(with: registration, for: adventureID) {
            try await release(owner, inFavourOf: registration.id, of: adventureID)
        }
        // The device's may have changed before the activity was there to get them.
        if newest.alertPreferences != device.alertPreferences { try await shareAlertPreferences(of: newest) }
        // The stored response says that the activity gets pushes.
        if response.isReplayed, try await store.activity(registration.id, of: adventureID)?.state == .released {
            throw CommandError.activityReleased
        }
        return response
    }

    private func store(
        _ registration: ActivityRegistration,
        on device: Device,
        for adventureID: AdventureID,
        request: IdempotentRequest?,
        render: @Sendable (Activity, _ isNew: Bool) throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        let playerID = device.playerID
        try await checkActivities(of: playerID, with: registration, for: adventureID)
        let owners = try await otherActivities(with: registration, for: adventureID)
        // The owners may get pushes with timestamps up to a second ahead until they are released.
        func lastTimestamp(at now: Timestamp) -> Int64 {
            owners.map(\.lastTimestamp).max().map { max($0, now.epochSeconds + 2) } ?? 0
        }
        return try await withIdempotency(request, of: playerID, in: adventureID.shard) { transaction in
            let stored = try await adventure(adventureID, with: playerID, in: &transaction)
            // A player who left can no longer see the party, but can still release an activity.
            guard stored.adventure.heroes.contains(where: { $0.playerID == playerID && !$0.hasLeft }) else {
                throw CommandError.unknownAdventure
            }
            if let startsAt = registration.startsAt {
                let earliest = transaction.now - Self.activityLifetime
                guard (earliest...transaction.now + Self.maxScheduleAhead).contains(startsAt) else {
                    throw CommandError.startOutOfRange
                }
            }
            guard var activity = try await transaction.activity(registration.id, of: adventureID) else {
                try await checkActivities(of: playerID, in: adventureID, transaction)
                var activity = Activity(
                    id: registration.id,
                    adventureID: adventureID,
                    playerID: playerID,
                    deviceID: registration.deviceID,
                    pushToken: registration.pushToken,
                    environment: registration.environment,
                    frequentPushesEnabled: registration.frequentPushesEnabled,
                    locale: registration.locale,
                    registeredAt: transaction.now,
                    startsAt: registration.startsAt,
                    alertPreferences: device.alertPreferences
                )
                activity.lastTimestamp = lastTimestamp(at: transaction.now)
                transaction.register(activity)
                return try render(activity, true)
            }
            guard activity.playerID == playerID else { throw CommandError.activityTaken }
            guard activity.deviceID == registration.deviceID else { throw CommandError.deviceFixed }
            guard activity.state != .released else { throw CommandError.activityReleased }
            guard activity.frequentPushesEnabled == registration.frequentPushesEnabled else {
                throw CommandError.frequentPushesFixed
            }
            let isSameToken =
                activity.pushToken == registration.pushToken && activity.environment == registration.environment
            let isSameLocale = activity.locale == registration.locale
            let isSameStart = activity.startsAt == registration.startsAt
            let ringsAsBefore = activity.alertPreferences == device.alertPreferences
            activity.locale = registration.locale
            activity.startsAt = registration.startsAt
            activity.alertPreferences = device.alertPreferences
            if !isSameToken {
                if activity.state == .dead {
                    try await checkActivities(of: playerID, in: adventureID, transaction)
                    activity.state = .live
                }
                activity.lastTimestamp = max(activity.lastTimestamp, lastTimestamp(at: transaction.now))
                activity.pushToken = registration.pushToken
                activity.environment = registration.environment
                activity.generation += 1
                activity.tokenRegisteredAt = transaction.now
                transaction.register(activity)
            } else if !isSameStart || !ringsAsBefore {
                transaction.register(activity)
            } else if !isSameLocale {
                transaction.setLocale(of: activity)
            }
            return try render(activity, false)
        }
    }

    /// Returns the other live activities with the token of a registration, whichever player's they are.
    private func otherActivities(
        with registration: ActivityRegistration,
        for adventureID: AdventureID
    ) async throws -> [Activity] {
        try await store.liveActivities(withToken: registration.pushToken, in: registration.environment)
            .filter { ($0.id, $0.adventureID) != (registration.id, adventureID) }
    }

    /// Releases an activity whose token another activity has registered later.
    ///
    /// Idempotent. In a transaction of its own, since it may be in another shard: if that fails, the app repeats the
    /// registration.
    private func release(_ owner: Activity, inFavourOf id: ActivityID, of adventureID: AdventureID) async throws {
        let newest = try await store.activities(of: adventureID).first { $0.id == id }
        try await store.withShard(owner.adventureID.shard) { transaction in
            guard let newest, newest.state == .live, newest.pushToken == owner.pushToken,
                newest.environment == owner.environment,
                let known = try await transaction.activity(owner.id, of: owner.adventureID), known.state == .live,
                known.pushToken == newest.pushToken, known.environment == newest.environment,
                known.tokenRegisteredAt < newest.tokenRegisteredAt
            else { return }
            transaction.release(known.id, of: known.adventureID)
        }
        wakeSignal.notify()
    }

    /// Checks that the device has room for the activity: iOS shows a few of an app, so that the app has not released others.
    private func checkActivities(
        of playerID: PlayerID,
        with registration: ActivityRegistration,
        for adventureID: AdventureID
    ) async throws {
        let others = try await liveActivities(of: playerID).filter {
            $0.deviceID == registration.deviceID && ($0.adventureID, $0.id) != (adventureID, registration.id)
                && ($0.pushToken != registration.pushToken || $0.environment != registration.environment)
        }
        guard others.count < Activity.maxLivePerDevice else { throw CommandError.tooManyActivities }
    }

    /// Returns a player's live activities in all shards in which a device may still show one.
    func liveActivities(of playerID: PlayerID) async throws -> [Activity] {
        // A player may leave a party while devices show its adventure, but no device shows one for longer than half of this,
        // whatever the node's clock says.
        let parties = try await store.partyIDs(of: playerID, leftAfter: runtime.now() - Self.activityLifetime * 2)
        return try await store.liveActivities(of: playerID, in: Set(parties.map(\.shard)).sorted())
    }

    private func checkActivities(
        of playerID: PlayerID,
        in adventureID: AdventureID,
        _ transaction: ShardTransaction
    ) async throws {
        guard try await transaction.liveActivities(of: playerID, in: adventureID) < Self.maxActivities else {
            throw CommandError.tooManyActivities
        }
    }

    /// Releases a Live Activity that was ended or dismissed on the device.
    ///
    /// Idempotent.
    public func release(
        _ id: ActivityID,
        of adventureID: AdventureID,
        by playerID: PlayerID,
        request: IdempotentRequest?
    ) async throws -> EncodedResponse {
        try await withIdempotency(request, of: playerID, in: adventureID.shard) { transaction in
            _ = try await adventure(adventureID, with: playerID, in: &transaction)
            guard
                let activity = try await transaction.activity(id, of: adventureID),
                activity.playerID == playerID
            else {
                throw CommandError.unknownActivity
            }
            if activity.state == .live {
                transaction.release(id, of: adventureID)
            }
            return EncodedResponse(status: 204, body: "")
        }
    }

    /// Releases the live activities of a device that it no longer shows.
    ///
    /// Idempotent. Each shard has a separate transaction, so a failure may leave some activities for the next call.
    /// Activities registered less than ``listMargin`` before the call, or during it, are kept until the next call,
    /// because the device may have created its list before their registration.
    /// - Parameters:
    ///   - playerID: the player.
    ///   - deviceID: the device.
    ///   - running: the activities that the device shows.
    /// - Returns: the released activities; those that the device shows but that are not live: they get no pushes; and those
    ///   that remain live.
    /// - Throws: ``CommandError/unknownDevice``; errors of the store.
    public func releaseActivities(
        of playerID: PlayerID,
        on deviceID: DeviceID,
        butFor running: Set<ActivityID>
    ) async throws -> (released: [ActivityID], unknown: Set<ActivityID>, live: [Activity]) {
        guard try await store.device(deviceID, of: playerID) != nil else { throw CommandError.unknownDevice }
        let listedUntil = try await store.now() - Self.listMargin
        let live = try await liveActivities(of: playerID).filter { $0.deviceID == deviceID }
        let released = try await release(live, of: playerID) {
            $0.deviceID == deviceID && !running.contains($0.id) && $0.registeredAt <= listedUntil
        }
        let rest = live.filter { !released.contains($0.id) }
        return (released, running.subtracting(live.map(\.id)), rest)
    }

    /// Releases a player's live activities that a condition holds for.
    /// - Parameters:
    ///   - live: activities that were live lately.
    ///   - playerID: the player.
    ///   - condition: the condition.
    /// - Returns: the released activities.
    /// - Throws: errors of the store.
    func release(
        _ live: [Activity],
        of playerID: PlayerID,
        where condition: @Sendable (Activity) -> Bool
    ) async throws -> [ActivityID] {
        var released: [ActivityID] = []
        // Only the shards with something to release are locked.
        for shard in Set(live.filter(condition).map(\.adventureID.shard)).sorted() {
            released += try await store.withShard(shard) { transaction in
                let missing = try await transaction.liveActivities(of: playerID).filter(condition)
                for activity in missing {
                    transaction.release(activity.id, of: activity.adventureID)
                }
                return missing.map(\.id)
            }
            wakeSignal.notify()
        }
        return released
    }

    private func adventure(
        _ id: AdventureID,
        with playerID: PlayerID,
        in transaction: inout ShardTransaction
    ) async throws -> StoredAdventure {
        guard
            let stored = try await transaction.adventure(id),
            stored.adventure.heroes.contains(where: { $0.playerID == playerID })
        else {
            throw CommandError.unknownAdventure
        }
        return stored
    }
}
