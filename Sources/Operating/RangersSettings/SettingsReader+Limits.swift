import PartyAPI

extension SettingsReader {
    mutating func limits() -> RequestLimits {
        let usual = RequestLimits.usual
        return RequestLimits(
            token: limit(rate: .limitTokenRate, burst: .limitTokenBurst, usual: usual.token),
            address: limit(rate: .limitAddressRate, burst: .limitAddressBurst, usual: usual.address),
            registration: limit(
                rate: .limitRegistrationRate,
                burst: .limitRegistrationBurst,
                usual: usual.registration
            ),
            wrongCode: limit(rate: .limitWrongCodeRate, burst: .limitWrongCodeBurst, usual: usual.wrongCode),
            trustedProxies: value(.trustedProxies, default: usual.trustedProxies, as: SettingValue.addressRanges)
        )
    }

    /// Nil when the burst is none.
    private mutating func limit(rate: Setting, burst: Setting, usual: RateLimit?) -> RateLimit? {
        let numbers = RateLimit.numbers
        let perSecond = value(rate, default: usual?.perSecond ?? numbers.lowerBound, as: SettingValue.number(numbers))
        let atOnce = value(burst, default: usual?.burst ?? 0, as: SettingValue.number(0...numbers.upperBound))
        return atOnce == 0 ? nil : RateLimit(perSecond: perSecond, burst: atOnce)
    }
}

extension SettingValue {
    /// Addresses and ranges of addresses, separated by commas.
    static func addressRanges(_ text: String) throws(MalformedValue) -> [AddressRange] {
        var ranges: [AddressRange] = []
        for part in parts(of: text) {
            guard let range = AddressRange(part) else {
                throw MalformedValue(
                    """
                    holds "\(part)", which is no address and no range; write 10.0.0.1, 10.0.0.0/8 or 2001:db8::/32, with \
                    nothing but zeros behind the prefix
                    """
                )
            }
            ranges.append(range)
        }
        return ranges
    }

    /// Origins separated by commas, or `*`.
    static func origins(_ text: String) throws(MalformedValue) -> AllowedOrigins {
        guard text != "*" else { return .all }
        let origins = parts(of: text)
        for origin in origins where !AllowedOrigins.isOrigin(origin) {
            throw MalformedValue(
                """
                holds "\(origin)", which is no origin; write https://play.example.com, in lower case and without a path, \
                or * alone
                """
            )
        }
        return .these(Set(origins))
    }

    private static func parts(of text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { !$0.isWhitespace } }
    }
}
