import Foundation
import PostgresClient
import Testing

private enum Mood: String, PostgresEncodable, PostgresDecodable, CaseIterable {
    case calm
    case wild
}

private struct Token: RawRepresentable, Hashable, PostgresEncodable, PostgresDecodable {
    let rawValue: UUID
}

/// Each value makes a round trip to the server, in binary format in both directions.
@Suite struct ValueTests {
    private func roundTrip<Value: PostgresEncodable & PostgresDecodable & Equatable & Sendable>(
        _ values: [Value],
        as type: String
    ) async throws {
        let pool = try await makePool()
        for value in values {
            let row = try #require(try await pool.query(PostgresQuery("SELECT $1::\(type)", value)).first)
            #expect(try row.decode(Value.self) == value)
        }
        let nothing = try await pool.query(PostgresQuery("SELECT $1::\(type)", Value?.none))
        #expect(try nothing[0].decode(Value?.self) == nil)
        let some = try await pool.query(PostgresQuery("SELECT $1::\(type)", values.first))
        #expect(try some[0].decode(Value?.self) == values.first)
        for array in [[], values] {
            let rows = try await pool.query(PostgresQuery("SELECT $1::\(type)[]", array))
            #expect(try rows[0].decode([Value].self) == array)
        }
        let withNull = values + [nil]
        let rows = try await pool.query(PostgresQuery("SELECT $1::\(type)[], $2::\(type)[]", withNull, [Value]?.none))
        let (array, none) = try rows[0].decode([Value?].self, [Value]?.self)
        #expect(array == withNull)
        #expect(none == nil)
    }

    @Test func `booleans round-trip`() async throws {
        try await roundTrip([true, false], as: "boolean")
    }

    @Test func `integers round-trip, including their extremes`() async throws {
        try await roundTrip([0, 1, -1, .min, .max] as [Int16], as: "smallint")
        try await roundTrip([0, 1, -1, .min, .max] as [Int32], as: "integer")
        try await roundTrip([0, 1, -1, .min, .max] as [Int64], as: "bigint")
        try await roundTrip([0, 1, -1, .min, .max] as [Int], as: "bigint")
    }

    @Test func `a single byte round-trips`() async throws {
        let pool = try await makePool()
        for byte: UInt8 in [0, 65, 255] {
            let rows = try await pool.query(PostgresQuery("SELECT $1::\"char\"", byte))
            #expect(try rows[0].decode(UInt8.self) == byte)
        }
    }

    @Test func `doubles round-trip bit by bit`() async throws {
        let extremes = [0, -0.0, 1.5, -.pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity]
        try await roundTrip(extremes, as: "double precision")
        let pool = try await makePool()
        let rows = try await pool.query(PostgresQuery("SELECT $1::double precision", Double.nan))
        #expect(try rows[0].decode(Double.self).isNaN)
    }

    @Test func `strings round-trip with any content`() async throws {
        try await roundTrip(["", "🐳 and 한국어", "quote ' \" \\ $1", String(repeating: "x", count: 200_000)], as: "text")
        try await roundTrip(["short"], as: "varchar")
    }

    @Test func `bytes round-trip as bytea`() async throws {
        try await roundTrip([[], [0, 1, 255], [UInt8](repeating: 7, count: 100_000)] as [[UInt8]], as: "bytea")
    }

    @Test func `UUIDs round-trip`() async throws {
        try await roundTrip([UUID(), UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))], as: "uuid")
    }

    @Test func `timestamps round-trip to the microsecond`() async throws {
        let moments: [Int64] = [0, 1, -1, 946_684_800_000_000, 1_790_000_000_123_456, -210_866_803_200_000_000]
        try await roundTrip(moments.map(PostgresTimestamp.init(microseconds:)), as: "timestamptz")
        let pool = try await makePool()
        let rows = try await pool.query(PostgresQuery("SELECT timestamptz '1970-01-01 00:00:01.000002Z'"))
        #expect(try rows[0].decode(PostgresTimestamp.self).microseconds == 1_000_002)
    }

    @Test func `an infinite timestamp cannot be decoded`() async throws {
        let pool = try await makePool()
        let rows = try await pool.query(PostgresQuery("SELECT timestamptz 'infinity'"))
        #expect(throws: PostgresError.self) { try rows[0].decode(PostgresTimestamp.self) }
    }

    @Test func `JSON is returned as the server normalises it`() async throws {
        let documents = [#"{"a": [1, 2, null], "한": "🐳"}"#, "null", #""text""#].map { JSONB($0) }
        try await roundTrip(documents, as: "jsonb")
    }

    @Test func `types with a raw value are encoded as the raw value`() async throws {
        try await roundTrip(Mood.allCases, as: "text")
        try await roundTrip([Token(rawValue: UUID())], as: "uuid")
        let pool = try await makePool()
        let rows = try await pool.query(PostgresQuery("SELECT 'angry'"))
        #expect(throws: PostgresError.self) { try rows[0].decode(Mood.self) }
    }

    @Test func `an array is decoded with any lower bound`() async throws {
        let pool = try await makePool()
        let rows = try await pool.query(PostgresQuery("SELECT '[5:6]={8,9}'::integer[]"))
        #expect(try rows[0].decode([Int32].self) == [8, 9])
    }

    @Test func `a two-dimensional array cannot be decoded`() async throws {
        let pool = try await makePool()
        let rows = try await pool.query(PostgresQuery("SELECT '{{1,2},{3,4}}'::integer[]"))
        #expect(throws: PostgresError.self) { try rows[0].decode([Int32].self) }
    }

    @Test func `a NULL in an array of non-optional values cannot be decoded`() async throws {
        let pool = try await makePool()
        let rows = try await pool.query(PostgresQuery("SELECT '{1,NULL}'::integer[]"))
        #expect(throws: PostgresError.self) { try rows[0].decode([Int32].self) }
    }
}
