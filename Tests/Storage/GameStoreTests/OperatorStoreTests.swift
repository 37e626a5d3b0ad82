import Encodings
import GameCore
import GameStore
import GameTestSupport
import Testing

@Suite struct OperatorStoreTests {
    private static let system = AuditAuthor(program: "rangersd", user: "root")

    private func create(_ name: String, expires: Timestamp? = nil, at now: Timestamp, in world: World) async throws
        -> Bool
    {
        let hash = [UInt8](repeating: UInt8(truncatingIfNeeded: now.epochSeconds), count: 32)
        return try await world.store(at: now).create(
            operator: name,
            role: .viewer,
            expiresAt: expires,
            tokenHash: hash,
            by: Self.system
        )
    }

    @Test func `a name is free again once its token is revoked or has expired`() async throws {
        try await World.with { world in
            let hour = noon + .seconds(3_600)
            #expect(try await create("alex", expires: hour, at: noon, in: world))
            #expect(try await create("alex", at: hour - .seconds(1), in: world) == false)
            #expect(try await create("alex", at: hour, in: world))
            #expect(try await create("alex", at: hour + .seconds(1), in: world) == false)
            #expect(try await world.store(at: hour).revoke(operator: "alex", by: Self.system).isRevoked)
            #expect(try await world.store(at: hour).revoke(operator: "alex", by: Self.system).isRevoked == false)
            #expect(try await create("alex", at: hour + .seconds(2), in: world))
            let alex = try #require(try await world.store.operators().first)
            #expect(alex.expiresAt == nil && alex.revokedAt == nil && alex.createdAt == hour + .seconds(2))
        }
    }

    @Test func `a new token replaces the previous one and keeps the role`() async throws {
        try await World.with { world in
            let (old, new) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
            _ = try await world.store(at: noon).create(operator: "alex", role: .admin, tokenHash: old, by: Self.system)
            let end = noon + .seconds(3_600)
            let rotated = try await world.store(at: noon + .seconds(1)).rotate(
                operator: "alex",
                lifetime: .limited(.seconds(3_599)),
                tokenHash: new,
                by: Self.system
            )
            #expect(rotated?.role == .admin && rotated?.expiresAt == end)
            #expect(try await world.store.operatorWith(tokenHash: old) == nil)
            #expect(try await world.store.operatorWith(tokenHash: new)?.expiresAt == end)
            let entry = try #require(try await world.store.auditEntries(limit: 1).first)
            #expect(entry.action == .operatorRotate && entry.target == "operator/alex")
            #expect(entry.before == #"{"role":"admin"}"#)
            #expect(entry.after == #"{"expiresAt":"2026-09-21T15:13:20Z","role":"admin"}"#)
            _ = try await world.store(at: end).revoke(operator: "alex", by: Self.system)
            for name in ["alex", "nobody"] {
                #expect(try await world.store(at: end).rotate(operator: name, tokenHash: old, by: Self.system) == nil)
            }
        }
    }

    @Test func `a new token has the lifetime of the previous one, unless another is given`() async throws {
        try await World.with { world in
            func rotate(_ lifetime: Operator.ReplacementLifetime, after hours: Int) async throws -> Timestamp? {
                let hash = [UInt8](repeating: UInt8(hours), count: 32)
                let rotated = try await world.store(at: noon + .seconds(hours * 3_600)).rotate(
                    operator: "alex",
                    lifetime: lifetime,
                    tokenHash: hash,
                    by: Self.system
                )
                let stored = try await world.store.operatorWith(tokenHash: hash)
                #expect(stored != nil && rotated?.expiresAt == stored?.expiresAt)
                return stored?.expiresAt
            }
            _ = try await create("alex", expires: noon + .seconds(7_200), at: noon, in: world)
            // Also after the expiry, and again.
            #expect(try await rotate(.unchanged, after: 3) == noon + .seconds(5 * 3_600))
            #expect(try await rotate(.unchanged, after: 4) == noon + .seconds(6 * 3_600))
            #expect(try await rotate(.limited(.seconds(3_600)), after: 5) == noon + .seconds(6 * 3_600))
            #expect(try await rotate(.unlimited, after: 6) == nil)
            #expect(try await rotate(.unchanged, after: 7) == nil)
        }
    }

    @Test func `the last admin with a valid token can be kept`() async throws {
        try await World.with { world in
            let hour = noon + .seconds(3_600)
            for (index, (name, role, expiry)) in [
                ("ada", .admin, nil), ("ben", .admin, hour), ("eve", .viewer, nil),
            ].enumerated() as EnumeratedSequence<[(String, Operator.Role, Timestamp?)]> {
                let hash = [UInt8](repeating: UInt8(index), count: 32)
                _ = try await world.store(at: noon).create(
                    operator: name,
                    role: role,
                    expiresAt: expiry,
                    tokenHash: hash,
                    by: Self.system
                )
            }
            func revoke(_ name: String, at now: Timestamp, keepingLastAdmin: Bool = true) async throws
                -> OperatorRevocation
            {
                try await world.store(at: now).revoke(
                    operator: name,
                    keepingLastAdmin: keepingLastAdmin,
                    by: Self.system
                )
            }
            // The other admin's token has expired.
            guard case .lastAdmin = try await revoke("ada", at: hour) else {
                Issue.record("ada is revoked")
                return
            }
            #expect(try await revoke("eve", at: hour).isRevoked)
            guard case .unknownOperator = try await revoke("eva", at: hour) else {
                Issue.record("no eva")
                return
            }
            guard case .alreadyRevoked = try await revoke("eve", at: hour) else {
                Issue.record("eve twice")
                return
            }
            // An expired admin may always be revoked, and an admin while another one is valid.
            #expect(try await revoke("ben", at: hour).isRevoked)
            #expect(try await revoke("ada", at: hour, keepingLastAdmin: false).isRevoked)
            #expect(try await world.store.auditEntries(limit: 9).count { $0.action == .operatorRevoke } == 3)
        }
    }

    @Test func `two admins who revoke each other at once leave one of them`() async throws {
        try await World.with { world in
            for (index, name) in ["ada", "ben"].enumerated() {
                let hash = [UInt8](repeating: UInt8(index), count: 32)
                _ = try await world.store(at: noon).create(
                    operator: name,
                    role: .admin,
                    tokenHash: hash,
                    by: Self.system
                )
            }
            async let first = world.store(at: noon).revoke(operator: "ada", keepingLastAdmin: true, by: Self.system)
            async let second = world.store(at: noon).revoke(operator: "ben", keepingLastAdmin: true, by: Self.system)
            let results = try await [first, second]
            #expect(results.count(where: \.isRevoked) == 1)
            #expect(try await world.store.operators().count { $0.revokedAt == nil } == 1)
        }
    }

    @Test func `creation and revocation are in the audit log, without the token`() async throws {
        try await World.with { world in
            _ = try await create("alex", expires: noon + .seconds(3_600), at: noon, in: world)
            _ = try await create("alex", at: noon, in: world)
            _ = try await world.store(at: noon + .seconds(1)).revoke(operator: "alex", by: Self.system)
            let entries = try await world.store.auditEntries(limit: 10)
            #expect(entries.map(\.action) == [.operatorRevoke, .operatorCreate])
            #expect(entries.allSatisfy { $0.target == "operator/alex" && $0.author == Self.system })
            #expect(entries.map(\.before) == [#"{"role":"viewer"}"#, nil])
            #expect(entries.map(\.after) == [nil, #"{"expiresAt":"2026-09-21T15:13:20Z","role":"viewer"}"#])
        }
    }
}

extension World {
    /// Returns the store at a moment, to which the clock is set.
    fileprivate func store(at moment: Timestamp) -> GameStore {
        clock.advance(by: moment - clock.now)
        return store
    }
}

extension OperatorRevocation {
    fileprivate var isRevoked: Bool { if case .revoked = self { true } else { false } }
}
