import Testing

@testable import OperatorCommands

/// The saved ends of the audit log's hash chains.
@Suite struct AuditBaselineTests {
    private static let first = AuditBaseline.End(shard: 7, position: 2, hash: String(repeating: "ab", count: 32))
    private static let second = AuditBaseline.End(shard: 200, position: 9, hash: String(repeating: "01", count: 32))
    private static let baseline = AuditBaseline([second, first])

    @Test func `the file has a line for each chain and a total, and can be parsed`() {
        #expect(Self.baseline.text == "7 2 \(Self.first.hash)\n200 9 \(Self.second.hash)\n2 chains, 11 entries\n")
        #expect(Self.baseline.entries == 11)
        #expect(AuditBaseline(Self.baseline.text) == Self.baseline)
        #expect(AuditBaseline("0 chains, 0 entries\n") == AuditBaseline([]))
        #expect(AuditBaseline("7 1 \(Self.first.hash)\n1 chain, 1 entry\n")?.entries == 1)
    }

    @Test(arguments: [
        "", "\n", "{}\n", "7 2 \(first.hash)\n", "7 2 \(first.hash)\n200 9 \(second.hash)\n", "2 chains, 11 entries\n",
        "7 2 \(first.hash)\n2 chains, 11 entries\n", "7 2 \(first.hash)\n1 chain, 2 entries",
        "7 2 ab\n1 chain, 2 entries\n", "256 2 \(first.hash)\n1 chain, 2 entries\n",
        "7 0 \(first.hash)\n1 chain, 0 entries\n", "7 -2 \(first.hash)\n1 chain, -2 entries\n",
        "7 2 \(first.hash)\n\n1 chain, 2 entries\n", "7 2 \(first.hash)\n7 3 \(first.hash)\n2 chains, 5 entries\n",
    ])
    func `any other content is rejected`(text: String) {
        #expect(AuditBaseline(text) == nil)
    }

    @Test func `a grown log matches the baseline, and a rebuilt one does not`() {
        #expect(Self.baseline.fault(against: [Self.first, Self.second]) == nil)
        let wiped = Self.baseline.fault(against: [])
        #expect(wiped?.kind == "lost" && wiped?.shard == 7 && wiped?.position == 2)
        let other = AuditBaseline.End(shard: 200, position: 9, hash: Self.first.hash)
        let replaced = Self.baseline.fault(against: [Self.first, other])
        #expect(replaced?.kind == "replaced" && replaced?.shard == 200 && replaced?.position == 9)
    }
}
