import Foundation
import GameCore
import GameTestSupport
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

    @Test func `a player who lost the token gets another one by the recovery code, and revokes the lost one`()
        async throws
    {
        try await ClientWorld.with { world in
            let server = world.server()
            let key = IdempotencyKey()
            let registered = try await server.register("Ada", playing: "spouty", key: key)
            #expect(try await server.register("Ada", playing: "spouty", key: key) == registered)
            let code = try #require(registered.recoveryCode)
            #expect("\(code)" == "recovery code")
            let recovered = try await server.recover(with: RecoveryCode(" \(code.text.lowercased())"))
            #expect(recovered.playerID == registered.playerID)
            let (old, new) = (server.player(with: registered.token), server.player(with: recovered.token))
            #expect(try await new.profile().playerID == registered.playerID)
            for token in try await new.tokens() where !token.isCurrent { try await new.revokeToken(token.tokenID) }
            #expect(try await isInvalid { try await old.profile() })
            let renewed = try await new.renewRecoveryCode()
            await #expect(throws: RangersError.self) { try await server.recover(with: recovered.recoveryCode) }
            let third = server.player(with: try await server.recover(with: renewed).token)
            #expect(try await third.tokens().count == 2)
            try await third.revokeOtherTokens()
            #expect(try await isInvalid { try await new.profile() })
        }
    }

    @Test func `a player changes name and hero at the version that the app has read`() async throws {
        try await ClientWorld.with { world in
            let (_, ada) = try await world.player()
            let version = try await ada.profile().version
            let changed = try await ada.changeProfile(displayName: "Ada L.", hero: "hoot", ifVersion: version)
            #expect(changed.displayName == "Ada L." && changed.hero.id == "hoot")
            #expect(try await ada.profile() == changed && changed.namedInLeaderboards == true)
            #expect(try await ada.changeProfile(namedInLeaderboards: false).namedInLeaderboards == false)
            do {
                _ = try await ada.changeProfile(displayName: "Eve", ifVersion: version)
                Issue.record("another version was changed")
            } catch RangersError.problem(let problem) {
                #expect(problem.type == .profileChanged)
            }
        }
    }

    @Test func `a player links an Apple account, signs in with it, and unlinks it`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player()
            let (first, second, third) = (
                try world.apple.identity(), try world.apple.identity(), try world.apple.identity()
            )
            try await ada.linkAppleAccount(identityToken: first.token, nonce: first.nonce)
            let signedIn = try await world.server().signIn(identityToken: second.token, nonce: second.nonce)
            #expect(signedIn.playerID == id)
            #expect(try await world.server().player(with: signedIn.token).profile().playerID == id)
            try await ada.unlinkAppleAccount()
            do {
                _ = try await world.server().signIn(identityToken: third.token, nonce: third.nonce)
                Issue.record("an unlinked account signs in")
            } catch RangersError.problem(let problem) {
                #expect(problem.type == .unknownAppleAccount)
            }
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
