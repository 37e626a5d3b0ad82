import GameCore
import GameLog
import GameStore

/// How much each player may create in a day, which bounds what one player's history costs.
///
/// Nil means no limit.
public struct Quotas: Hashable, Sendable {
    /// The parties that a player creates or joins.
    public var parties: Int?
    /// The adventures that a player starts.
    public var adventures: Int?
    /// The devices that a player registers.
    public var devices: Int?
    /// The Live Activities that a player registers.
    public var activities: Int?
    /// The changes of a player's name or hero, each of which changes all of the player's parties.
    public var profiles: Int?

    /// The allowed values of a quota.
    public static let allowedValues = 1...1_000_000
    /// The default quotas of a server: far more than a person plays in a day.
    public static let standard = Self(parties: 100, adventures: 500, devices: 50, activities: 1_000, profiles: 50)

    /// Creates quotas; by default there are none.
    public init(
        parties: Int? = nil,
        adventures: Int? = nil,
        devices: Int? = nil,
        activities: Int? = nil,
        profiles: Int? = nil
    ) {
        self.parties = parties
        self.adventures = adventures
        self.devices = devices
        self.activities = activities
        self.profiles = profiles
    }

    func limit(of kind: QuotaKind) -> Int? {
        switch kind {
        case .party: parties
        case .adventure: adventures
        case .device: devices
        case .activity: activities
        case .profile: profiles
        }
    }
}

extension GameCommands {
    /// Makes a change that uses one of a player's daily quota.
    ///
    /// The quota is spent before the change, and refunded if the change is refused or uses none. After an error that
    /// leaves the outcome unknown, it stays spent.
    /// - Parameters:
    ///   - kind: the quota.
    ///   - playerID: the player.
    ///   - shard: the shard that stores the response.
    ///   - request: the idempotency key, if any: a stored response is returned even if the quota is used up.
    ///   - change: makes the change, and returns the response and whether it uses the quota.
    /// - Returns: the response.
    /// - Throws: ``CommandError/quotaExceeded(_:)``; errors of the change and of the store.
    func withQuota(
        _ kind: QuotaKind,
        of playerID: PlayerID,
        in shard: Shard,
        request: IdempotentRequest?,
        _ change: () async throws -> (response: EncodedResponse, usesQuota: Bool)
    ) async throws -> EncodedResponse {
        guard let limit = quotas.limit(of: kind) else { return try await change().response }
        switch try await store.spendQuota(kind, of: playerID, limit: limit) {
        case .exceeded(let use):
            // A request with a stored response may have used the last one itself.
            if let response = try await storedResponse(to: request, of: .player(playerID), among: [shard]) {
                return response
            }
            throw CommandError.quotaExceeded(use)
        case .spent(let use):
            let outcome: (response: EncodedResponse, usesQuota: Bool)
            do {
                outcome = try await change()
            } catch  where error is CommandError || error is StoreError {
                // Nothing was changed.
                await refund(use, to: playerID)
                throw error
            }
            guard outcome.usesQuota, !outcome.response.isReplayed else {
                await refund(use, to: playerID)
                return outcome.response
            }
            return outcome.response.with(use)
        }
    }

    private func refund(_ use: QuotaUse, to playerID: PlayerID) async {
        do {
            try await store.refund(use, to: playerID)
        } catch {
            // The player has one less today.
        }
    }
}
