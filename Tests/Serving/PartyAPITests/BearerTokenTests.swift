import Testing

@testable import PartyAPI

@Suite struct BearerTokenTests {
    private struct Counter: RandomNumberGenerator {
        var state: UInt64 = 0xfbff_feff_fefd_fcf8
        mutating func next() -> UInt64 {
            state &+= 1
            return state
        }
    }

    @Test(arguments: BearerToken.Holder.allCases)
    func `a token has a prefix, 256 bits in base64url and 32 bytes of hash`(holder: BearerToken.Holder) throws {
        var generator = Counter()
        let token = BearerToken(for: holder, using: &generator)
        #expect(token.text.hasPrefix(holder.rawValue))
        #expect(token.text.dropFirst(4).wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
        #expect(token.text.contains("_") || token.text.contains("-"))
        #expect(token.hash.count == 32)
        let read = try #require(BearerToken(token.text))
        #expect(read.holder == holder && read.hash == token.hash)
    }

    @Test func `malformed text is not a token`() {
        let bits = String(repeating: "A", count: 43)
        for text in ["", "erp_", bits, "erx_" + bits, "erp_" + bits + "A", "erp_" + bits.dropLast()] {
            #expect(BearerToken(text) == nil)
        }
    }

    @Test func `a token's description hides the token`() {
        var generator = SystemRandomNumberGenerator()
        let token = BearerToken(for: .player, using: &generator)
        #expect("\(token)" == "erp_…")
        #expect(String(reflecting: token) == "erp_…")
    }
}
