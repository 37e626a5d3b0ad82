/// The address that a request is attributed to.
package enum ClientAddress: Hashable, Sendable {
    case known(IPAddress)
    /// The connection is not over IP, or its peer is unknown.
    case unknown

    /// Determines the client address of a request: the peer's address or, behind trusted proxies, the last address in
    /// `X-Forwarded-For` that is not a trusted proxy.
    ///
    /// Each proxy appends the address of its own peer. The list is therefore reliable from its end up to the first
    /// address that is not a trusted proxy; the client may have forged everything before.
    /// - Parameters:
    ///   - peer: the peer of the connection; nil if unknown.
    ///   - forwardedFor: the header's lines, joined by commas.
    ///   - proxies: the trusted proxies.
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

    /// Parses an element of the list: an address, or an address with a port as some proxies write it (`192.0.2.1:443`,
    /// `[2001:db8::1]:443`).
    private static func address(of hop: Substring) -> IPAddress? {
        let text = hop.filter { !$0.isWhitespace }
        if text.hasPrefix("[") { return IPAddress(text.dropFirst().prefix { $0 != "]" }) }
        return IPAddress(text) ?? IPAddress(text.prefix { $0 != ":" })
    }
}
