import Foundation

/// An IP address.
///
/// An IPv4 address is stored as its IPv4-mapped IPv6 address, `::ffff:192.0.2.1`, so that both notations are equal (RFC
/// 4291, section 2.5.5.2).
package struct IPAddress: Hashable, Sendable {
    private static let version4Prefix: UInt128 = 0xffff << 32

    let bits: UInt128

    private init(bits: UInt128) {
        self.bits = bits
    }

    /// Parses an address without port and brackets.
    ///
    /// A zone such as `%eth0` is ignored.
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

    /// Returns the network of the address, for a prefix length of the IPv6 form.
    func network(prefixBits: Int) -> Self {
        prefixBits == 0 ? Self(bits: 0) : Self(bits: bits & ~0 << (128 - prefixBits))
    }

    /// Whether the address is a loopback or private address (RFC 1918, RFC 4193).
    var isPrivate: Bool { Self.privateRanges.contains { $0.contains(self) } }

    private static let privateRanges = [
        "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1", "fc00::/7",
    ]
    .compactMap { AddressRange($0) }

    /// The address that identifies a client: an IPv4 address itself, or the /64 network of an IPv6 address, within
    /// which clients change their address (RFC 8981).
    var client: Self { isVersion4 ? self : network(prefixBits: 64) }
}

/// A range of IP addresses in CIDR notation: `10.0.0.0/8`, `2001:db8::/32`, or a single address.
public struct AddressRange: Hashable, Sendable {
    private let network: IPAddress
    private let prefixBits: Int

    /// Parses a range; nil if the text is not a range, or if bits after the prefix are set.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]), !parts[0].contains("%") else { return nil }
        let addressBits = parts[0].contains(":") ? 128 : 32
        var length = addressBits
        if parts.count == 2 {
            guard let parsed = Int(parts[1]), (0...addressBits).contains(parsed), "\(parsed)" == parts[1] else {
                return nil
            }
            length = parsed
        }
        prefixBits = 128 - addressBits + length
        network = address.network(prefixBits: prefixBits)
        guard network == address else { return nil }
    }

    /// Returns whether the range contains an address.
    func contains(_ address: IPAddress) -> Bool { address.network(prefixBits: prefixBits) == network }
}
