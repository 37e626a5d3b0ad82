import NodeSettings
import RangersSettings
import SignInWithApple
import Testing

@Suite struct AppleSettingsTests {
    private func settings(_ changes: [String: String]) throws -> ServiceSettings {
        let minimum = ["RANGERS_DATABASE_URL": "postgresql:///rangers", "RANGERS_ROLES": "api,engine"]
        return try ServiceSettings(from: SettingsSources(environment: minimum.merging(changes) { $1 }))
    }

    private func problems(_ changes: [String: String]) -> [String] {
        do {
            _ = try settings(changes)
            return []
        } catch {
            return (error as? SettingsError)?.problems.map(\.description) ?? ["\(error)"]
        }
    }

    @Test func `Sign in with Apple is off unless it has keys`() throws {
        #expect(try settings([:]).apple == nil)
        #expect(try settings(["RANGERS_APPLE_BUNDLE_IDS": "com.example.rangers"]).apple == nil)
    }

    @Test func `keys and apps are read`() throws {
        let apple = try #require(
            try settings([
                "RANGERS_APPLE_KEYS": AppleKeySource.appleURL,
                "RANGERS_APPLE_BUNDLE_IDS": "com.example.rangers, com.example.rangers.beta",
            ]).apple
        )
        #expect(apple.keys == .resource(host: "appleid.apple.com", port: 443, path: "/auth/keys"))
        #expect(apple.bundleIDs == ["com.example.rangers", "com.example.rangers.beta"])
    }

    @Test func `each problem is reported with the name of its setting`() {
        let (keys, apps) = ("RANGERS_APPLE_KEYS", "RANGERS_APPLE_BUNDLE_IDS")
        let missing = problems([keys: "keys.json"])
        #expect(missing.count == 1 && missing[0].hasPrefix("\(apps) is missing"))
        let insecure = problems([keys: "http://appleid.apple.com/auth/keys", apps: "com.example.rangers"])
        #expect(insecure.count == 1 && insecure[0].contains("is neither a file nor an https URL"))
        for value in ["", "com.example.rangers,", "a b/c"] {
            let found = problems([keys: "keys.json", apps: value])
            #expect(found.count == 1 && found[0].hasPrefix(apps), "\(found)")
        }
    }
}
