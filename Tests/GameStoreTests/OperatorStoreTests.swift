import GameCore
import GameStore
import Testing

@Suite struct OperatorStoreTests {
    private static let system = AuditAuthor(program: "rangersd", user: "root")

    private func create(_ name: String, expires: Timestamp? = nil, at now: Timestamp, in store: GameStore) async throws
        -> Bool
    {
        let hash = [UInt8](repeating: UInt8(truncatingIfNeeded: now.epochSeconds), count: 32)
        return try await store.create(
            operator: name,
            role: .viewer,
            expiresAt: expires,
            tokenHash: hash,
            at: now,
            by: Self.system
        )
    }

    @Test func `a name is free again once its token is revoked or has expired`() async throws {
        try await withStore { store, _ in
            let hour = noon + .seconds(3_600)
            #expect(try await create("alex", expires: hour, at: noon, in: store))
            #expect(try await create("alex", at: hour - .seconds(1), in: store) == false)
            #expect(try await create("alex", at: hour, in: store))
            #expect(try await create("alex", at: hour + .seconds(1), in: store) == false)
            #expect(try await store.revoke(operator: "alex", at: hour, by: Self.system))
            #expect(try await store.revoke(operator: "alex", at: hour, by: Self.system) == false)
            #expect(try await create("alex", at: hour + .seconds(2), in: store))
            let alex = try #require(try await store.operators().first)
            #expect(alex.expiresAt == nil && alex.revokedAt == nil && alex.createdAt == hour + .seconds(2))
        }
    }

    @Test func `creating and revoking are in the audit log, the token in no form`() async throws {
        try await withStore { store, _ in
            _ = try await create("alex", expires: noon + .seconds(3_600), at: noon, in: store)
            _ = try await create("alex", at: noon, in: store)
            _ = try await store.revoke(operator: "alex", at: noon + .seconds(1), by: Self.system)
            let entries = try await store.auditEntries(limit: 10)
            #expect(entries.map(\.action) == [.operatorRevoke, .operatorCreate])
            #expect(entries.allSatisfy { $0.target == "operator/alex" && $0.author == Self.system })
            #expect(entries.map(\.before) == [#"{"role":"viewer"}"#, nil])
            #expect(entries.map(\.after) == [nil, #"{"expiresAt":"2026-09-21T15:13:20Z","role":"viewer"}"#])
        }
    }
}
