import RangersSettings
public import SignInWithApple

/// The settings of Sign in with Apple.
public struct AppleSettings: Hashable, Sendable {
    /// The location of Apple's public keys.
    public let keys: AppleKeySource
    /// The bundle identifiers of the apps whose players sign in.
    public let bundleIDs: Set<String>
}

extension SettingsReader {
    /// Reads the settings of Sign in with Apple.
    /// - Returns: the settings; nil if it is off, or after recording a problem.
    mutating func apple() -> AppleSettings? {
        let keys = optional(.appleKeys, as: SettingValue.appleKeys)
        guard isSet(.appleKeys) else {
            _ = optional(.appleBundleIDs, as: SettingValue.bundleIDs)
            return nil
        }
        let bundleIDs = required(
            .appleBundleIDs,
            because: "RANGERS_APPLE_KEYS turns on Sign in with Apple; set it to the bundle identifiers of the apps",
            as: SettingValue.bundleIDs
        )
        guard let keys, let bundleIDs else { return nil }
        return AppleSettings(keys: keys, bundleIDs: bundleIDs)
    }
}

extension SettingValue {
    /// Parses the location of Apple's keys.
    static func appleKeys(_ text: String) throws(MalformedValue) -> AppleKeySource {
        guard let source = AppleKeySource(text) else {
            throw MalformedValue("is neither a file nor an https URL; write \(AppleKeySource.appleURL), or a path")
        }
        return source
    }

    /// Parses bundle identifiers separated by commas.
    static func bundleIDs(_ text: String) throws(MalformedValue) -> Set<String> {
        var bundleIDs: Set<String> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let bundleID = part.filter { !$0.isWhitespace }
            guard !bundleID.isEmpty else { throw MalformedValue("has an empty bundle identifier") }
            bundleIDs.insert(try SettingValue.bundleID(bundleID))
        }
        return bundleIDs
    }
}
