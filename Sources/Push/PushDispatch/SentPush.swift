import Cryptography
public import Encodings
package import Foundation
import GameCore
import PushCadence
import PushRules

/// The facts about a push that join its decision record with APNs and with what the device reports.
public struct SentPush: Hashable, Sendable {
    /// The `sequence` of the content state that it carries.
    public let sequence: Int
    /// Its `timestamp` in seconds since 1970; of several tries, that of the last one.
    public let timestamp: Int64
    /// `apns-expiration` in seconds since 1970: APNs keeps it until then for a phone that it cannot reach.
    public let expiration: Int64
    /// The generation of the token that it was sent to.
    public let generation: Int
    /// The moment of the newest change that it reports, to the microsecond.
    public let changeAt: Timestamp
    /// When APNs accepted it; nil before, and if a later entry of the log has the result.
    public internal(set) var acceptedAt: Timestamp?
}

/// The state and the token with which a push is sent.
public struct PushContent: Hashable, Sendable {
    /// The `sequence` of the content state.
    public let sequence: Int
    /// The generation of the token.
    public let generation: Int

    /// Creates the content of a push.
    public init(sequence: Int, generation: Int) {
        self.sequence = sequence
        self.generation = generation
    }
}

extension SendReason {
    /// Returns `apns-id`, which is derived from the activity and the change that the push reports, so that a repeat
    /// after a crash has the same identifier.
    ///
    /// A token gets one end: its identifier does not depend on the state that it shows, which may have changed since.
    package func apnsID(of key: ActivityKey, generation: Int, changeAt: Timestamp) -> UUID {
        let (event, seat): (Int, Seat?) =
            switch self {
            case .newToken, .requested, .turn, .turnWithoutFrequentPushes, .turnDemoted, .low: (0, nil)
            case .end: (1, nil)
            case .activityEndsSoon: (2, nil)
            // Several alerts may have the same moment.
            case .alert(.ownHeroDown): (3, nil)
            case .alert(.companionDown(let seat)): (4, seat)
            case .alert(.ownTurn): (5, nil)
            case .alert(.bossAppeared): (6, nil)
            case .alert(.bossDefeated): (7, nil)
            case .alert(.partyWiped): (8, nil)
            case .alert(.adventureOver): (9, nil)
            case .alert(.heroInDanger): (10, nil)
            }
        var name: [UInt8] = []
        name.reserveCapacity(112)
        key.adventureID.rawValue.appendLowercaseText(to: &name)
        key.activityID.rawValue.appendLowercaseText(to: &name)
        let change = if case .end = self { Int64(0) } else { changeAt.microseconds }
        name += "/\(generation)/\(change)/\(event)/\(seat?.rawValue ?? 0)".utf8
        return UUID(named: name)
    }
}

extension DecisionRecord {
    /// Returns `apns-id` of the push; nil if the decision is not a push, or if an older release recorded it.
    package func apnsID(of key: ActivityKey) -> UUID? {
        guard case .sent(_, let reason, _, _) = action, let push else { return nil }
        return reason.apnsID(of: key, generation: push.generation, changeAt: push.changeAt)
    }
}
