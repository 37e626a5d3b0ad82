import Foundation
import RangersClient
import Testing

@Suite struct AccountTests {
    @Test func `the first use of a new token revokes the old one`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player()
            let other = world.server().player(with: try await ada.exchangeToken())
            #expect(try await ada.profile().playerID == id)
            #expect(try await other.profile().playerID == id)
            #expect(try await isInvalid { try await ada.profile() })
        }
    }

    @Test func `a revoked token is invalid, and revoking it again is not an error`() async throws {
        try await ClientWorld.with { world in
            let (_, ada) = try await world.player()
            try await ada.revokeToken()
            try await ada.revokeToken()
            #expect(try await isInvalid { try await ada.profile() })
        }
    }

    @Test func `a player can export and erase the stored data`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player("Ada Lovelace")
            let pages = try await ada.export()
            let export = String(decoding: try #require(pages.first), as: UTF8.self)
            #expect(pages.count == 1 && export.contains("Ada Lovelace") && export.contains("\(id)"))
            try await ada.erase()
            #expect(try await isInvalid { try await ada.profile() })
        }
    }

    private func isInvalid<Response>(_ request: () async throws -> Response) async throws -> Bool {
        do {
            _ = try await request()
            return false
        } catch RangersError.problem(let problem) {
            return problem.type == .invalidToken
        }
    }
}
