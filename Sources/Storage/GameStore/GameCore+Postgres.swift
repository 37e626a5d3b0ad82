// Conversions of the game's identifiers and timestamps to PostgreSQL's binary format.

import Encodings
public import GameCore
public import PostgresClient

extension PartyID: PostgresEncodable, PostgresDecodable {}
extension PlayerID: PostgresEncodable, PostgresDecodable {}
extension AdventureID: PostgresEncodable, PostgresDecodable {}
extension ActivityID: PostgresEncodable, PostgresDecodable {}
extension DeviceID: PostgresEncodable, PostgresDecodable {}
extension HeroID: PostgresEncodable, PostgresDecodable {}
extension InviteCode: PostgresEncodable, PostgresDecodable {}
extension RaidID: PostgresEncodable, PostgresDecodable {}
extension BossID: PostgresEncodable, PostgresDecodable {}
extension RegionID: PostgresEncodable, PostgresDecodable {}
extension AdventureKind: PostgresEncodable, PostgresDecodable {}
extension AdventureOutcome: PostgresEncodable, PostgresDecodable {}
extension PushEnvironment: PostgresEncodable, PostgresDecodable {}
extension Leaderboard: PostgresEncodable, PostgresDecodable {}
extension LeaderboardPeriod: PostgresEncodable, PostgresDecodable {}

extension Timestamp {
    /// The timestamp as PostgreSQL's `timestamptz`.
    var postgres: PostgresTimestamp { PostgresTimestamp(microseconds: microseconds) }

    /// Creates a timestamp from a `timestamptz`.
    init(_ postgres: PostgresTimestamp) {
        self.init(microseconds: postgres.microseconds)
    }
}

extension Shard {
    /// The shard as PostgreSQL's `smallint`.
    var column: Int16 { Int16(rawValue) }
}
