import Foundation

/// An address of the Internet protocol; one of version 4 as version 6 writes it, `::ffff:192.0.2.1`, so that the two
/// spellings are one address (RFC 4291, section 2.5.5.2).
struct IPAddress: Hashable, Sendable {
    private static let version4Prefix: UInt128 = 0xffff << 32

    let bits: UInt128

    private init(bits: UInt128) {
        self.bits = bits
    }

    /// An address as text, without port and brackets; what names an interface, `%eth0`, is left out.
    init?(_ text: some StringProtocol) {
        var version4 = in_addr()
        var version6 = in6_addr()
        let address = String(text.prefix { $0 != "%" })
        if inet_pton(AF_INET, address, &version4) == 1 {
            bits = Self.version4Prefix | UInt128(UInt32(bigEndian: version4.s_addr))
        } else if inet_pton(AF_INET6, address, &version6) == 1 {
            bits = withUnsafeBytes(of: version6) { $0.reduce(0) { $0 << 8 | UInt128($1) } }
        } else {
            return nil
        }
    }

    var isVersion4: Bool { bits >> 32 == Self.version4Prefix >> 32 }

    /// The network of an address, by the length of its prefix in version 6's bits.
    func network(prefixBits: Int) -> Self {
        prefixBits == 0 ? Self(bits: 0) : Self(bits: bits & ~0 << (128 - prefixBits))
    }

    /// Whether it is of this machine or of a network that the Internet does not reach (RFC 1918, RFC 4193).
    var isNear: Bool { Self.nearRanges.contains { $0.contains(self) } }

    private static let nearRanges = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1", "fc00::/7"]
        .compactMap { AddressRange($0) }

    /// What counts as one client: an address of version 4, and of version 6 the /64 within which a client changes its own
    /// (RFC 8981).
    var client: Self { isVersion4 ? self : network(prefixBits: 64) }
}

/// Addresses that begin alike: `10.0.0.0/8`, `2001:db8::/32`, or a single one.
public struct AddressRange: Hashable, Sendable {
    private let network: IPAddress
    private let prefixBits: Int

    /// A range as it is written; nil when it is none, or has bits behind its prefix.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]), !parts[0].contains("%") else { return nil }
        let mostBits = parts[0].contains(":") ? 128 : 32
        var length = mostBits
        if parts.count == 2 {
            guard let given = Int(parts[1]), (0...mostBits).contains(given), "\(given)" == parts[1] else { return nil }
            length = given
        }
        prefixBits = 128 - mostBits + length
        network = address.network(prefixBits: prefixBits)
        guard network == address else { return nil }
    }

    /// Whether an address is in it.
    func contains(_ address: IPAddress) -> Bool { address.network(prefixBits: prefixBits) == network }
}
