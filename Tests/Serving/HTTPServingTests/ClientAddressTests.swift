import Testing

@testable import HTTPServing

@Suite struct ClientAddressTests {
    private func client(_ peer: String, _ forwardedFor: String? = nil, trusting ranges: [String] = []) -> ClientAddress
    {
        ClientAddress(
            peer: IPAddress(peer),
            forwardedFor: forwardedFor,
            trusting: ranges.compactMap { AddressRange($0) }
        )
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("192.0.2.1", "::ffff:192.0.2.1", true),
        ("2001:db8::1", "2001:db8:0:0:ffff::2", true), ("2001:db8::1", "2001:db8:0:1::1", false),
        ("fe80::1%eth0", "fe80::1", true), ("::1", "127.0.0.1", false),
    ])
    func `a client is an IPv4 address or the first 64 bits of an IPv6 address`(one: String, other: String, isSame: Bool)
    {
        #expect((client(one) == client(other)) == isSame)
        #expect(client(one) != .unknown)
    }

    @Test(arguments: ["", "192.0.2", "192.0.2.256", "host", "2001:db8::1::2", "[::1]", "192.0.2.1:80", " 192.0.2.1"])
    func `other text is not an address`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/8", "::ffff:10.1.1.1", true),
        ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "203.0.113.9", true),
        ("2001:db8::/32", "2001:db8:1::1", true), ("2001:db8::/32", "2001:db9::1", false),
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("::1/128", "::1", true),
    ])
    func `a range contains the addresses with its prefix`(range: String, address: String, isContained: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(try #require(IPAddress(address))) == isContained)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/08", "10.0.0.0/-1", "10/8", "2001:db8::1/64",
        "::/129", "localhost", "fe80::%eth0/10",
    ])
    func `other text is not a range`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test func `X-Forwarded-For counts only from a trusted proxy`() {
        #expect(client("192.0.2.1", "203.0.113.9") == client("192.0.2.1"))
        #expect(client("192.0.2.1", "203.0.113.9", trusting: ["192.0.2.0/30"]) == client("203.0.113.9"))
    }

    @Test func `behind proxies, the last address that is not a proxy counts`() {
        let proxies = ["10.0.0.0/8", "2001:db8:ff::/48"]
        func clientBehindProxies(_ forwardedFor: String?) -> ClientAddress {
            client("10.0.0.1", forwardedFor, trusting: proxies)
        }
        // The client may have forged the addresses before its own.
        #expect(clientBehindProxies("198.51.100.7, 203.0.113.9") == client("203.0.113.9"))
        #expect(clientBehindProxies("10.9.9.9, 203.0.113.9,10.0.0.2 , 10.0.0.3") == client("203.0.113.9"))
        #expect(clientBehindProxies("203.0.113.9:4711") == client("203.0.113.9"))
        #expect(clientBehindProxies("[2001:db8::9]:4711") == client("2001:db8::9"))
        #expect(clientBehindProxies("203.0.113.9, 2001:db8:ff::1") == client("203.0.113.9"))
        // If the list has no further valid address, the last proxy counts as the client.
        #expect(clientBehindProxies(nil) == client("10.0.0.1"))
        #expect(clientBehindProxies("") == client("10.0.0.1"))
        #expect(clientBehindProxies("10.0.0.3, 10.0.0.2") == client("10.0.0.3"))
        #expect(clientBehindProxies("203.0.113.9, unknown, 10.0.0.2") == client("10.0.0.2"))
        #expect(ClientAddress(peer: nil, forwardedFor: "203.0.113.9", trusting: []) == .unknown)
    }
}
