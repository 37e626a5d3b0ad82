import GameEngine
import HTTPServing
import RangersSettings

extension SettingsReader {
    mutating func limits() -> RequestLimits {
        let defaults = RequestLimits.standard
        return RequestLimits(
            token: limit(rate: .limitTokenRate, burst: .limitTokenBurst, defaults: defaults.token),
            address: limit(rate: .limitAddressRate, burst: .limitAddressBurst, defaults: defaults.address),
            registration: limit(
                rate: .limitRegistrationRate,
                burst: .limitRegistrationBurst,
                defaults: defaults.registration
            ),
            wrongCode: limit(rate: .limitWrongCodeRate, burst: .limitWrongCodeBurst, defaults: defaults.wrongCode),
            receipts: limit(rate: .limitReceiptsRate, burst: .limitReceiptsBurst, defaults: defaults.receipts),
            trustedProxies: value(.trustedProxies, default: defaults.trustedProxies, as: SettingValue.addressRanges)
        )
    }

    mutating func quotas() -> Quotas {
        let defaults = Quotas.standard
        return Quotas(
            parties: quota(.quotaParties, default: defaults.parties),
            adventures: quota(.quotaAdventures, default: defaults.adventures),
            devices: quota(.quotaDevices, default: defaults.devices),
            activities: quota(.quotaActivities, default: defaults.activities),
            profiles: quota(.quotaProfiles, default: defaults.profiles)
        )
    }

    /// Reads one quota; 0 means none.
    private mutating func quota(_ setting: Setting, default defaultValue: Int?) -> Int? {
        let range = 0...Quotas.allowedValues.upperBound
        let limit = value(setting, default: defaultValue ?? 0, as: SettingValue.number(range))
        return limit == 0 ? nil : limit
    }

    /// Reads one rate limit; a burst of 0 means no limit.
    private mutating func limit(rate: Setting, burst: Setting, defaults: RateLimit?) -> RateLimit? {
        let numbers = RateLimit.allowedValues
        let perSecond = value(
            rate,
            default: defaults?.perSecond ?? numbers.lowerBound,
            as: SettingValue.number(numbers)
        )
        let size = value(burst, default: defaults?.burst ?? 0, as: SettingValue.number(0...numbers.upperBound))
        return size == 0 ? nil : RateLimit(perSecond: perSecond, burst: size)
    }
}

extension SettingValue {
    /// Parses IP addresses and address ranges separated by commas.
    static func addressRanges(_ text: String) throws(MalformedValue) -> [AddressRange] {
        var ranges: [AddressRange] = []
        for part in parts(of: text) {
            guard let range = AddressRange(part) else {
                throw MalformedValue(
                    """
                    contains "\(part)", which is neither an address nor a range; write 10.0.0.1, 10.0.0.0/8 or \
                    2001:db8::/32, with only zero bits after the prefix
                    """
                )
            }
            ranges.append(range)
        }
        return ranges
    }

    /// Parses web origins separated by commas, or `*` for all.
    static func origins(_ text: String) throws(MalformedValue) -> AllowedOrigins {
        guard text != "*" else { return .all }
        let origins = parts(of: text)
        for origin in origins where !AllowedOrigins.isOrigin(origin) {
            throw MalformedValue(
                """
                contains "\(origin)", which is not an origin; write https://play.example.com, in lower case and without a \
                path, or only *
                """
            )
        }
        return .listed(Set(origins))
    }

    private static func parts(of text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { !$0.isWhitespace } }
    }
}
