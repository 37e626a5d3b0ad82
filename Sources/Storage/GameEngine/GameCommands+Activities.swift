import Encodings
public import GameCore
public import GameLog
import GameStore
import ServiceRuntime
import Synchronization

/// The registration of a Live Activity by an app.
public struct ActivityRegistration: Sendable, Hashable {
    /// The activity's identifier, chosen by the app.
    public let id: ActivityID
    /// The bytes of its push token.
    public let pushToken: [UInt8]
    /// The APNs environment of the token.
    public let environment: PushEnvironment
    /// ActivityKit's `frequentPushesEnabled`.
    public let frequentPushesEnabled: Bool
    /// The device's language (BCP 47), if the app sends it.
    public let locale: String?

    /// Creates a registration.
    public init(
        id: ActivityID,
        pushToken: [UInt8],
        environment: PushEnvironment,
        frequentPushesEnabled: Bool,
        locale: String?
    ) {
        self.id = id
        self.pushToken = pushToken
        self.environment = environment
        self.frequentPushesEnabled = frequentPushesEnabled
        self.locale = locale
    }
}

extension GameCommands {
    /// The maximum number of live activities that a player may have of one adventure.
    ///
    /// An app shows one per device, and iOS allows about five (according to developers).
    public static let maxActivities = 8
    /// The maximum time for which a device shows an activity: eight hours, and four more on the Lock Screen.
    private static let activityLifetime = RetentionSettings.activityLifetime
    /// The minimum age of an activity to be released because it is missing from a device's list.
    ///
    /// It exceeds the duration of any request: a device creates its list before it sends the request, and may register
    /// an activity in between.
    public static let listMargin = Duration.seconds(30)

    /// Registers a Live Activity, or replaces the push token and the locale of a registered one.
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
        // A new token of a known activity uses no quota.
        var isCounted = quotas.limit(of: .activity) != nil
        if isCounted { isCounted = try await store.activity(registration.id, of: adventureID) == nil }
        guard isCounted else {
            return try await registerUncounted(
                registration,
                for: adventureID,
                by: playerID,
                request: request,
                render: render
            )
        }
        return try await withQuota(.activity, of: playerID, in: adventureID.shard, request: request) {
            let isFirst = Mutex(false)
            let response = try await registerUncounted(
                registration,
                for: adventureID,
                by: playerID,
                request: request
            ) { activity, isNew in
                isFirst.withLock { $0 = isNew }
                return try render(activity, isNew)
            }
            return (response, isFirst.withLock { $0 })
        }
    }

    private func registerUncounted(
        _ registration: ActivityRegistration,
        for adventureID: AdventureID,
        by playerID: PlayerID,
        request: IdempotentRequest?,
        render: @Sendable (Activity, _ isNew: Bool) throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        let owners = try await otherActivities(with: registration, for: adventureID)
        // The owners may get pushes with timestamps up to a second ahead until they are released.
        func lastTimestamp(at now: Timestamp) -> Int64 {
            owners.map(\.lastTimestamp).max().map { max($0, now.epochSeconds + 2) } ?? 0
        }
        let response = try await withIdempotency(request, of: playerID, in: adventureID.shard) { transaction in
            let stored = try await adventure(adventureID, with: playerID, in: &transaction)
            // A player who left can no longer see the party, but can still release an activity.
            guard stored.adventure.heroes.contains(where: { $0.playerID == playerID && !$0.hasLeft }) else {
                throw CommandError.unknownAdventure
            }
            guard var activity = try await transaction.activity(registration.id, of: adventureID) else {
                try await checkActivities(of: playerID, in: adventureID, transaction)
                var activity = Activity(
                    id: registration.id,
                    adventureID: adventureID,
                    playerID: playerID,
                    pushToken: registration.pushToken,
                    environment: registration.environment,
                    frequentPushesEnabled: registration.frequentPushesEnabled,
                    locale: registration.locale,
                    registeredAt: transaction.now
                )
                activity.lastTimestamp = lastTimestamp(at: transaction.now)
                transaction.register(activity)
                return try render(activity, true)
            }
            guard activity.playerID == playerID else { throw CommandError.activityTaken }
            guard activity.state != .released else { throw CommandError.activityReleased }
            guard activity.frequentPushesEnabled == registration.frequentPushesEnabled else {
                throw CommandError.frequentPushesFixed
            }
            let isSameToken =
                activity.pushToken == registration.pushToken && activity.environment == registration.environment
            let isSameLocale = activity.locale == registration.locale
            activity.locale = registration.locale
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
            } else if !isSameLocale {
                transaction.setLocale(of: activity)
            }
            return try render(activity, false)
        }
        // Read again, since another request may have registered the token meanwhile.
        for owner in try await otherActivities(with: registration, for: adventureID) {
            try await release(owner, inFavourOf: registration.id, of: adventureID)
        }
        return response
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
                let known = try await transaction.activity(owner.id, of: owner.adventureID), known.state == .live,
                known.pushToken == newest.pushToken, known.tokenRegisteredAt < newest.tokenRegisteredAt
            else { return }
            transaction.release(known.id, of: known.adventureID)
        }
        wakeSignal.notify()
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

    /// Releases a player's live activities that the device no longer shows.
    ///
    /// Idempotent. Each shard has a separate transaction, so a failure may leave some activities for the next call.
    /// Activities registered less than ``listMargin`` before the call, or during it, are kept until the next call,
    /// because the device may have created its list before their registration.
    /// - Parameters:
    ///   - playerID: the player.
    ///   - running: the activities that the device shows.
    /// - Returns: the released activities, and those that the device shows but that are not live: they get no pushes.
    /// - Throws: errors of the store.
    public func releaseActivities(of playerID: PlayerID, butFor running: Set<ActivityID>) async throws
        -> (released: [ActivityID], unknown: Set<ActivityID>)
    {
        let listedUntil = try await store.now() - Self.listMargin
        func isMissing(_ activity: Activity) -> Bool {
            !running.contains(activity.id) && activity.registeredAt <= listedUntil
        }
        var released: [ActivityID] = []
        // A player may leave a party while devices show its adventure, but no device shows one for longer than this.
        let parties = try await store.partyIDs(of: playerID, leftAfter: listedUntil - Self.activityLifetime)
        let live = try await store.liveActivities(of: playerID, in: Set(parties.map(\.shard)).sorted())
        // Only the shards with something to release are locked.
        for shard in Set(live.filter(isMissing).map(\.adventureID.shard)).sorted() {
            released += try await store.withShard(shard) { transaction in
                let missing = try await transaction.liveActivities(of: playerID).filter(isMissing)
                for activity in missing {
                    transaction.release(activity.id, of: activity.adventureID)
                }
                return missing.map(\.id)
            }
            wakeSignal.notify()
        }
        return (released, running.subtracting(live.map(\.id)))
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
