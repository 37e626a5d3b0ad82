import Foundation
import PostgresClient
import Testing

@Suite struct DecodingTests {
    private func failure<each Value: PostgresDecodable>(
        _ sql: String,
        _ types: repeat (each Value).Type
    ) async throws -> PostgresDecodingError? {
        let pool = try await makePool()
        let rows = try await pool.query(PostgresQuery(Statement("probe", sql)))
        do throws(PostgresError) {
            _ = try rows[0].decode(repeat (each Value).self)
        } catch {
            guard case .decoding(let failure) = error else { throw error }
            return failure
        }
        return nil
    }

    @Test func `several columns are decoded into a tuple`() async throws {
        let pool = try await makePool()
        let uuid = UUID()
        let rows = try await pool.query(PostgresQuery("SELECT 1::bigint, NULL::text, $1::uuid", uuid))
        let (number, text, decoded) = try rows[0].decode(Int64.self, String?.self, UUID.self)
        #expect(number == 1)
        #expect(text == nil)
        #expect(decoded == uuid)
    }

    @Test func `the error of a column with another type names both types`() async throws {
        let error = try #require(try await failure("SELECT 1::bigint, 2::integer AS tick", Int64.self, Int64.self))
        #expect(error.statement == "probe")
        #expect(error.column == "tick")
        #expect(error.expected == "bigint")
        #expect(error.actual == "integer")
    }

    @Test func `the error of an unexpected NULL names the column`() async throws {
        let error = try #require(try await failure("SELECT NULL::text AS name", String.self))
        #expect(error.column == "name")
        #expect(error.actual == "NULL")
    }

    @Test func `the error of an array with another element type names both types`() async throws {
        let error = try #require(try await failure("SELECT '{1}'::integer[] AS seats", [Int64].self))
        #expect(error.expected == "an array of bigint")
        #expect(error.actual == "integer[]")
    }

    @Test func `an unknown type is named by its OID`() async throws {
        let error = try #require(try await failure("SELECT point '(1,2)' AS place", Double.self))
        #expect(error.actual == "the type with OID 600")
    }

    @Test func `a mismatch in the number of columns is an error`() async throws {
        let error = try #require(try await failure("SELECT 1, 2", Int32.self))
        #expect(error.column == nil)
        #expect(error.expected == "1 columns")
        #expect(error.actual == "2")
    }
}
