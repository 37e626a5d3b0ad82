import Encodings
import GameCore
import Testing

@testable import GameStore
@testable import PartyAPI

@Suite struct RecentOperatorsTests {
    private static let noon = Timestamp(epochSeconds: 1_790_000_000)

    private func caller(_ name: String, expiresAt: Timestamp? = nil) -> Operator {
        Operator(name: name, role: .viewer, createdAt: Self.noon, expiresAt: expiresAt, revokedAt: nil)
    }

    @Test func `an operator is kept for an hour, unless the token expires or is removed`() {
        let operators = RecentOperators()
        operators.insert(caller("ada"), tokenHash: [1], at: Self.noon)
        operators.insert(caller("bob", expiresAt: Self.noon + .seconds(60)), tokenHash: [2], at: Self.noon)
        operators.insert(caller("eve"), tokenHash: [3], at: Self.noon)
        operators.remove(tokenHash: [3])
        func names(after wait: Duration) -> [String?] {
            [[1], [2], [3], [4]].map { operators.operatorWith(tokenHash: $0, at: Self.noon + wait)?.name }
        }
        #expect(names(after: .seconds(59)) == ["ada", "bob", nil, nil])
        #expect(names(after: .seconds(60)) == ["ada", nil, nil, nil])
        #expect(names(after: RecentOperators.lifetime) == ["ada", nil, nil, nil])
        #expect(names(after: RecentOperators.lifetime + .seconds(1)) == [nil, nil, nil, nil])
    }

    @Test func `beyond the capacity, the operator seen longest ago is removed`() {
        let operators = RecentOperators()
        for number in 0...RecentOperators.capacity {
            operators.insert(
                caller("\(number)"),
                tokenHash: [UInt8(number)],
                at: Self.noon + .seconds(number)
            )
        }
        let now = Self.noon + .seconds(100)
        #expect(operators.operatorWith(tokenHash: [0], at: now) == nil)
        #expect(operators.operatorWith(tokenHash: [1], at: now) != nil)
        #expect(operators.operatorWith(tokenHash: [UInt8(RecentOperators.capacity)], at: now) != nil)
    }
}
