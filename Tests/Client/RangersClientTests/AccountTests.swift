import Foundation
import RangersClient
import Testing

@Suite struct AccountTests {
    @Test func `another token ends the one before with its first use`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player()
            let other = world.server().player(with: try await ada.exchangeToken())
            #expect(try await ada.profile().playerID == id)
            #expect(try await other.profile().playerID == id)
            #expect(try await isInvalid { try await ada.profile() })
        }
    }

    @Test func `a token that is given back is nobody's, however often it is`() async throws {
        try await ClientWorld.with { world in
            let (_, ada) = try await world.player()
            try await ada.revokeToken()
            try await ada.revokeToken()
            #expect(try await isInvalid { try await ada.profile() })
        }
    }

    @Test func `a player sees what is stored, and is erased`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player("Ada Lovelace")
            let export = String(decoding: try await ada.export(), as: UTF8.self)
            #expect(export.contains("Ada Lovelace") && export.contains("\(id)"))
            try await ada.erase()
            #expect(try await isInvalid { try await ada.profile() })
        }
    }

    private func isInvalid<Answer>(_ request: () async throws -> Answer) async throws -> Bool {
        do {
            _ = try await request()
            return false
        } catch RangersError.problem(let problem) {
            return problem.type == .invalidToken
        }
    }
}
