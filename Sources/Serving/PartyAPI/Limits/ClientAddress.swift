/// Who a request comes from, by address.
enum ClientAddress: Hashable {
    case known(IPAddress)
    /// Not over the Internet protocol, or from where nobody can say.
    case unknown

    /// The address that counts for a request: the peer's, and behind proxies that are trusted the last one in
    /// `X-Forwarded-For` which is not one of theirs.
    ///
    /// Each proxy appends the address from which it was asked, so the list is true from its end up to the first address
    /// that is no trusted proxy's: what stands before it is the client's own claim.
    /// - Parameters:
    ///   - peer: whoever has connected; nil when that is not known.
    ///   - forwardedFor: the header's lines, joined by commas.
    ///   - proxies: which are trusted.
    init(peer: IPAddress?, forwardedFor: String?, trusting proxies: [AddressRange]) {
        guard var address = peer else {
            self = .unknown
            return
        }
        var hops = (forwardedFor ?? "").split(separator: ",")[...]
        while proxies.contains(where: { $0.contains(address) }), let hop = hops.popLast().flatMap(Self.address) {
            address = hop
        }
        self = .known(address.client)
    }

    /// An address of the list: bare, or with a port as some proxies write it, `192.0.2.1:443` and `[2001:db8::1]:443`.
    private static func address(of hop: Substring) -> IPAddress? {
        let text = hop.filter { !$0.isWhitespace }
        if text.hasPrefix("[") { return IPAddress(text.dropFirst().prefix { $0 != "]" }) }
        return IPAddress(text) ?? IPAddress(text.prefix { $0 != ":" })
    }
}
