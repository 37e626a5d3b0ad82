package import Foundation
package import PostgresClient

/// The tables of the schema that a simulated game uses, as committed.
///
/// Moments are microseconds since 1970.
package struct Tables: Sendable {
    package struct ShardRow: Sendable {
        package var head: Int64 = 0
        package var journeys: Int32 = 0
        package var tickedUntil: Int64 = 0
        package var nextTurnAt: Int64?
    }

    package struct LeaseRow: Sendable {
        package var holder: UUID?
        package var epoch: Int64 = 0
        package var expiresAt: Int64 = 0
        package var checkpoint: Int64 = 0
    }

    package struct PlayerRow: Sendable {
        package let displayName: String
        package let hero: String
    }

    package struct PartyRow: Sendable {
        package let shard: Int16
        package let name: String
        package var inviteCode: String
        package var leader: UUID
        package let capacity: Int16
        package var adventure: UUID?
        package var version: Int64
        package var disbandedAt: Int64?
        package var members: [UUID: MemberRow]
    }

    package struct MemberRow: Sendable {
        package let displayName: String
        package let hero: String
        package var experience: Int32
        package let joinedAt: Int64
    }

    package struct PlaceKey: Hashable, Sendable {
        let player: UUID
        let party: UUID
    }

    package struct AdventureRow: Sendable {
        package let shard: Int16
        package let party: UUID
        package let kind: String
        package var live: Bool
        package let phase: Int16?
        package var tick: Int32
        package var sequence: Int32
        package var state: String
        package let opening: String
        package var outcome: String?
        package let startedAt: Int64
        package var endedAt: Int64?
    }

    package struct InputRow: Sendable {
        package let sequence: Int32
        package let tick: Int32
        package let input: JSONB
    }

    package struct EventRow: Sendable {
        package let position: Int64
        package let adventure: UUID
        package let sequence: Int32?
        package let tick: Int32
        package let kind: String
        package let at: Int64
        package let body: JSONB
        /// When it became visible, in microseconds since the run began.
        package let committedAt: Int64
    }

    package struct ActivityKey: Hashable, Sendable {
        package let adventure: UUID
        package let activity: UUID
    }

    package struct ActivityRow: Sendable {
        package let shard: Int16
        package let player: UUID
        package var pushToken: [UInt8]
        package var environment: String
        package let frequentPushes: Bool
        package let locale: String?
        package var generation: Int32
        package var state: String
        package let registeredAt: Int64
        package var tokenRegisteredAt: Int64
        package var lastTimestamp: Int64 = 0
        package var settledPosition: Int64
    }

    /// What a dispatcher has written down of an activity, whatever has become of it: nobody may send as if it were not so.
    package struct Note: Sendable {
        /// In microseconds since the run began.
        package let committedAt: Int64
        package let settledPosition: Int64
        package let lastTimestamp: Int64
        /// The token to which nothing is sent any more.
        package let closedToken: [UInt8]?
    }

    package struct AnswerKey: Hashable, Sendable {
        package let shard: Int16
        package let player: UUID
        package let key: String
    }

    package struct AnswerRow: Sendable {
        package let requestHash: [UInt8]
        package let status: Int16
        package let answer: String
        package let partyVersion: Int64?
        package let createdAt: Int64
    }

    package struct AuditHeadRow: Sendable {
        var length: Int64 = 0
        var hash = [UInt8](repeating: 0, count: 32)
    }

    package var shards: [Int16: ShardRow] = [:]
    package var leases: [Int16: LeaseRow] = [:]
    /// Until when each dispatcher counts.
    package var dispatchers: [UUID: Int64] = [:]
    package var players: [UUID: PlayerRow] = [:]
    package var parties: [UUID: PartyRow] = [:]
    package var inviteCodes: [String: UUID] = [:]
    package var places: [PlaceKey: Int64?] = [:]
    package var adventures: [UUID: AdventureRow] = [:]
    package var turns: [UUID: Int64] = [:]
    package var inputs: [UUID: [InputRow]] = [:]
    /// By position, from 1 and without gaps; what breaks that is in ``violations``.
    package var events: [Int16: [EventRow]] = [:]
    package var activities: [ActivityKey: ActivityRow] = [:]
    /// In the order of the commits.
    package var notes: [ActivityKey: [Note]] = [:]
    /// When each token was stored last, in microseconds since the run began.
    package var registrations: [[UInt8]: Int64] = [:]
    package var answers: [AnswerKey: AnswerRow] = [:]
    package var decisions: [ActivityKey: [UInt8]] = [:]
    package var auditHeads: [Int16: AuditHeadRow] = [:]
    /// When what is being committed is committed, in microseconds since the run began.
    var clock: Int64 = 0
    /// Constraints of the schema that did not hold.
    package var violations: [String] = []

    /// Empty tables.
    /// - Parameter shards: the shards that there are; the real schema has all 256.
    package init(shards: [Int16]) {
        for shard in shards {
            self.shards[shard] = ShardRow()
            leases[shard] = LeaseRow()
            auditHeads[shard] = AuditHeadRow()
        }
    }
}

extension Tables {
    /// Whether the dispatchers have written down, for all that is in the logs, that no phone is owed it.
    package var owesNothing: Bool { shards.allSatisfy { leases[$0.key]?.checkpoint == $0.value.head } }
}
