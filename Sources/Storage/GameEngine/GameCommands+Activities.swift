import Encodings
public import GameCore
public import GameStore
import ServiceRuntime

/// What an app says of a Live Activity.
public struct ActivityRegistration: Sendable, Hashable {
    /// What the app calls the activity.
    public let id: ActivityID
    /// The bytes of its push token.
    public let pushToken: [UInt8]
    /// Where the token is valid.
    public let environment: PushEnvironment
    /// ActivityKit's `frequentPushesEnabled`.
    public let frequentPushesEnabled: Bool
    /// The phone's language (BCP 47), if the app tells it.
    public let locale: String?

    /// What an app says of a Live Activity.
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
    /// How many Live Activities of one adventure a player may have at once: an app shows one on each device, and
    /// iOS allows about five (developers' reports).
    public static let mostActivities = 8
    /// How old an activity must be for its phone's list to speak of it: longer than a request is on its way, since a
    /// phone makes its list before it asks, and may register a card while the list is still being sent.
    public static let listMargin = Duration.seconds(30)

    /// Registers a Live Activity, or gives a known one its new push token: the old one is dead from that moment.
    ///
    /// An adventure that is over already is fine: the phone then gets its final state and `end`.
    /// - Parameters:
    ///   - registration: what the app says.
    ///   - adventureID: which adventure the activity shows.
    ///   - playerID: who asks; must have a seat in it.
    ///   - request: with a key, the answer is kept.
    ///   - render: makes the answer; `isNew` tells a registration from a rotation or repetition.
    /// - Returns: the answer.
    /// - Throws: ``CommandError``; errors of the store.
    public func register(
        _ registration: ActivityRegistration,
        for adventureID: AdventureID,
        by playerID: PlayerID,
        request: RepeatableRequest?,
        answering render: @Sendable (Activity, _ isNew: Bool) throws -> Answer
    ) async throws -> Answer {
        try await once(request, of: playerID, in: adventureID.shard) { transaction in
            let stored = try await adventure(adventureID, with: playerID, in: transaction)
            // Who has left sees the party no more; letting go of an activity stays possible.
            guard stored.adventure.heroes.contains(where: { $0.playerID == playerID && !$0.hasLeft }) else {
                throw CommandError.unknownAdventure
            }
            guard var activity = try await transaction.activity(registration.id, of: adventureID) else {
                let live = try await transaction.liveActivities(of: playerID, in: adventureID)
                guard live < Self.mostActivities else { throw CommandError.tooManyActivities }
                let activity = Activity(
                    id: registration.id,
                    adventureID: adventureID,
                    playerID: playerID,
                    pushToken: registration.pushToken,
                    environment: registration.environment,
                    frequentPushesEnabled: registration.frequentPushesEnabled,
                    locale: registration.locale,
                    registeredAt: transaction.now
                )
                transaction.register(activity, in: stored)
                return try render(activity, true)
            }
            guard activity.playerID == playerID else { throw CommandError.unknownActivity }
            guard activity.frequentPushesEnabled == registration.frequentPushesEnabled else {
                throw CommandError.frequentPushesFixed
            }
            let isSameToken =
                activity.pushToken == registration.pushToken && activity.environment == registration.environment
            if !isSameToken {
                activity.pushToken = registration.pushToken
                activity.environment = registration.environment
                activity.generation += 1
                activity.tokenRegisteredAt = transaction.now
                transaction.register(activity, in: stored)
            }
            return try render(activity, false)
        }
    }

    /// Lets go of a Live Activity that was ended or dismissed on the phone; doing it twice is fine.
    public func release(
        _ id: ActivityID,
        of adventureID: AdventureID,
        by playerID: PlayerID,
        request: RepeatableRequest?
    ) async throws -> Answer {
        try await once(request, of: playerID, in: adventureID.shard) { transaction in
            let stored = try await adventure(adventureID, with: playerID, in: transaction)
            guard
                let activity = try await transaction.activity(id, of: adventureID),
                activity.playerID == playerID
            else {
                throw CommandError.unknownActivity
            }
            if activity.state == .live {
                transaction.release(id, in: stored)
            }
            return Answer(status: 204, body: "")
        }
    }

    /// Lets go of a player's live activities that the phone no longer shows.
    ///
    /// One transaction a shard, so a failure half-way leaves some for the next time; asking again is fine. What was
    /// registered less than ``listMargin`` before this was asked, or after it, is kept: the phone may have made its list
    /// before that, and sent it late. The next time lets it go.
    /// - Parameters:
    ///   - playerID: whose.
    ///   - running: the activities that the phone still shows.
    /// - Returns: what was let go of.
    /// - Throws: errors of the store.
    public func releaseActivities(of playerID: PlayerID, butFor running: Set<ActivityID>) async throws -> [ActivityID] {
        let listed = runtime.now() - Self.listMargin
        func isGone(_ activity: Activity) -> Bool {
            !running.contains(activity.id) && activity.registeredAt <= listed
        }
        var released: [ActivityID] = []
        for shard in Set(try await store.partyIDs(of: playerID).map(\.shard)).sorted() {
            // Locks nothing where there is nothing to let go of.
            guard try await store.liveActivities(of: playerID, in: shard).contains(where: isGone) else { continue }
            released += try await store.withShard(shard, at: runtime.now()) { transaction in
                let gone = try await transaction.liveActivities(of: playerID).filter(isGone)
                for activity in gone {
                    guard let stored = try await transaction.adventure(activity.adventureID) else { continue }
                    transaction.release(activity.id, in: stored)
                }
                return gone.map(\.id)
            }
            wakeSignal.notify()
        }
        return released
    }

    private func adventure(
        _ id: AdventureID,
        with playerID: PlayerID,
        in transaction: ShardTransaction
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
