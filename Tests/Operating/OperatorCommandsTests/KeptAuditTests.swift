import Testing

@testable import OperatorCommands

/// What is kept of the audit log where nobody can change it.
@Suite struct KeptAuditTests {
    private static let first = KeptAudit.End(shard: 7, position: 2, hash: String(repeating: "ab", count: 32))
    private static let second = KeptAudit.End(shard: 200, position: 9, hash: String(repeating: "01", count: 32))
    private static let kept = KeptAudit([second, first])

    @Test func `it is a file of a line for each chain and one for all, and is read as it was written`() {
        #expect(Self.kept.text == "7 2 \(Self.first.hash)\n200 9 \(Self.second.hash)\n2 chains, 11 entries\n")
        #expect(Self.kept.entries == 11)
        #expect(KeptAudit(Self.kept.text) == Self.kept)
        #expect(KeptAudit("0 chains, 0 entries\n") == KeptAudit([]))
        #expect(KeptAudit("7 1 \(Self.first.hash)\n1 chain, 1 entry\n")?.entries == 1)
    }

    @Test(arguments: [
        "", "\n", "{}\n", "7 2 \(first.hash)\n", "7 2 \(first.hash)\n200 9 \(second.hash)\n", "2 chains, 11 entries\n",
        "7 2 \(first.hash)\n2 chains, 11 entries\n", "7 2 \(first.hash)\n1 chain, 2 entries",
        "7 2 ab\n1 chain, 2 entries\n", "256 2 \(first.hash)\n1 chain, 2 entries\n",
        "7 0 \(first.hash)\n1 chain, 0 entries\n", "7 -2 \(first.hash)\n1 chain, -2 entries\n",
        "7 2 \(first.hash)\n\n1 chain, 2 entries\n", "7 2 \(first.hash)\n7 3 \(first.hash)\n2 chains, 5 entries\n",
    ])
    func `what is no such file is not taken for one`(text: String) {
        #expect(KeptAudit(text) == nil)
    }

    @Test func `a log that has grown is the same, and one that was made anew is another`() {
        #expect(Self.kept.fault(against: [Self.first, Self.second]) == nil)
        let wiped = Self.kept.fault(against: [])
        #expect(wiped?.kind == "lost" && wiped?.shard == 7 && wiped?.position == 2)
        let other = KeptAudit.End(shard: 200, position: 9, hash: Self.first.hash)
        let replaced = Self.kept.fault(against: [Self.first, other])
        #expect(replaced?.kind == "replaced" && replaced?.shard == 200 && replaced?.position == 9)
    }
}
