import GameEngine
import HTTPServing
import NodeSettings
import RangersSettings
import Testing

@Suite struct LimitSettingsTests {
    private func settings(_ more: [String: String]) throws(SettingsError) -> ServiceSettings {
        let environment = ["RANGERS_DATABASE_URL": "postgresql:///rangers", "RANGERS_ROLES": "api"]
        return try ServiceSettings(from: SettingsSources(environment: environment.merging(more) { $1 }))
    }

    private func problem(_ name: String, _ value: String) -> String {
        do throws(SettingsError) {
            _ = try settings([name: value])
            return ""
        } catch {
            return error.description
        }
    }

    @Test func `unset limits have their defaults, and no web origin is allowed`() throws {
        let settings = try settings([:])
        #expect(settings.limits == .standard)
        #expect(settings.limits.trustedProxies.isEmpty && settings.corsOrigins == nil)
    }

    @Test func `quotas have defaults, and 0 means none`() throws {
        #expect(try settings([:]).quotas == .standard)
        let quotas = try settings(["RANGERS_QUOTA_PARTIES": "0", "RANGERS_QUOTA_ADVENTURES": "7"]).quotas
        #expect(quotas.parties == nil && quotas.adventures == 7 && quotas.devices == Quotas.standard.devices)
        #expect(problem("RANGERS_QUOTA_DEVICES", "-1").contains("RANGERS_QUOTA_DEVICES"))
    }

    @Test func `limits are read, and a burst of 0 disables one`() throws {
        let limits = try settings([
            "RANGERS_LIMIT_TOKEN_BURST": "0", "RANGERS_LIMIT_ADDRESS_RATE": "7", "RANGERS_LIMIT_ADDRESS_BURST": "70",
            "RANGERS_LIMIT_REGISTRATION_RATE": "3", "RANGERS_LIMIT_REGISTRATION_BURST": "30",
            "RANGERS_LIMIT_WRONG_CODE_BURST": "0", "RANGERS_TRUSTED_PROXIES": "10.0.0.0/8, ::1",
        ]).limits
        #expect(limits.token == nil)
        #expect(limits.address == RateLimit(perSecond: 7, burst: 70))
        #expect(limits.registration == RateLimit(perSecond: 3, burst: 30) && limits.wrongCode == nil)
        #expect(limits.trustedProxies == [AddressRange("10.0.0.0/8"), AddressRange("::1")])
    }

    @Test func `origins are read`() throws {
        #expect(try settings(["RANGERS_CORS_ORIGINS": "*"]).corsOrigins == .all)
        let origins = try settings(["RANGERS_CORS_ORIGINS": "https://a.example, http://localhost:3000"]).corsOrigins
        #expect(origins == .listed(["https://a.example", "http://localhost:3000"]))
    }

    @Test(arguments: [
        ("RANGERS_LIMIT_TOKEN_RATE", "0"), ("RANGERS_LIMIT_TOKEN_RATE", "1.5"), ("RANGERS_LIMIT_TOKEN_BURST", "-1"),
        ("RANGERS_LIMIT_ADDRESS_RATE", "1000001"), ("RANGERS_LIMIT_REGISTRATION_RATE", "0"),
        ("RANGERS_LIMIT_WRONG_CODE_BURST", "many"), ("RANGERS_TRUSTED_PROXIES", "10.0.0.1/8"),
        ("RANGERS_TRUSTED_PROXIES", "proxy"), ("RANGERS_TRUSTED_PROXIES", "::1,"), ("RANGERS_CORS_ORIGINS", "*, *"),
        ("RANGERS_CORS_ORIGINS", "https://a.example/"), ("RANGERS_CORS_ORIGINS", ""),
    ])
    func `a malformed value is reported with the name of its setting`(name: String, value: String) {
        #expect(problem(name, value).hasPrefix(name))
    }
}
