import NodeSettings
import PushCadence
import RangersSettings
import Testing

@Suite struct CadenceSettingsTests {
    /// One number of the cadence policy.
    struct Number: Sendable {
        /// The name of the setting, without its prefix.
        let name: String
        /// A value other than the default.
        let value: String
        /// Reads the number from a policy.
        let read: @Sendable (CadencePolicy) -> String

        init(_ name: String, _ value: String, _ read: @escaping @Sendable (CadencePolicy) -> String) {
            self.name = name
            self.value = value
            self.read = read
        }
    }

    static let numbers =
        paces("FREQUENT") { $0.frequent } + paces("STANDARD") { $0.standard } + [
            Number("ALERT_QUEUE_BOUND", "7") { "\($0.maxQueuedAlerts)" },
            Number("ALERT_EXPIRY", "77s") { $0.alertExpiry.settingText },
            Number("DISMISSAL_AFTER", "77s") { $0.dismissalAfter.settingText },
            Number("END_EXPIRATION", "77s") { $0.endExpiration.settingText },
            Number("AGE_WARNING_BEFORE", "77s") { $0.ageWarningBefore.settingText },
            Number("AGE_END_BEFORE", "77s") { $0.ageEndBefore.settingText },
            Number("WIDGET_SPACING", "77s") { $0.widgetSpacing.settingText },
            Number("FALLBACK_HOURLY_BUDGET", "7") { "\($0.fallbackHourlyBudget)" },
            Number("START_HOURLY_BUDGET", "7") { "\($0.pushToStart.hourlyBudget)" },
            Number("START_DAILY_BUDGET", "7") { "\($0.pushToStart.dailyBudget)" },
            Number("START_PARTY_HOURLY_BUDGET", "7") { "\($0.pushToStart.partyHourlyBudget)" },
            Number("START_PARTY_DAILY_BUDGET", "7") { "\($0.pushToStart.partyDailyBudget)" },
            Number("START_GRACE", "7s") { $0.pushToStart.appGracePeriod.settingText },
            Number("START_REGISTRATION_TIMEOUT", "777s") { $0.pushToStart.registrationTimeout.settingText },
            Number("START_MAX_REQUEST_AGE", "77s") { $0.pushToStart.maxRequestAge.settingText },
            Number("START_EXPIRATION", "77s") { $0.pushToStart.expiration.settingText },
            Number("START_SAME_ADVENTURE_SPACING", "77s") { $0.pushToStart.sameAdventureSpacing.settingText },
            Number("RAID_START_DELAY", "7s") { $0.pushToStart.raidDelay.settingText },
            Number("RAID_START_SPACING", "7ms") { $0.pushToStart.raidSpacing.settingText },
            Number("RAID_START_MAX_REQUEST_AGE", "77s") { $0.pushToStart.maxRaidRequestAge.settingText },
        ]

    private static func paces(
        _ name: String,
        _ pace: @escaping @Sendable (CadencePolicy) -> CadencePolicy.Pace
    ) -> [Number] {
        [
            Number("\(name)_TURN_SPACING", "7s") { pace($0).turnSpacing.settingText },
            Number("\(name)_LOW_SPACING", "77s") { pace($0).lowSpacing.settingText },
            Number("\(name)_HIGH_CAPACITY", "77") { "\(pace($0).highCapacity)" },
            Number("\(name)_HIGH_REFILL", "77ms") { pace($0).highRefill.settingText },
            Number("\(name)_ALERT_RESERVE", "3") { "\(pace($0).alertReserve)" },
            Number("\(name)_STALE_AFTER", "77s") { pace($0).staleAfter.settingText },
            Number("\(name)_JOURNEY_STALE_AFTER", "77s") { pace($0).journeyStaleAfter.settingText },
        ]
    }

    private func policy(_ more: [String: String]) throws -> CadencePolicy {
        let required = ["RANGERS_DATABASE_URL": "postgresql:///rangers", "RANGERS_ROLES": "api"]
        return try ServiceSettings(from: SettingsSources(environment: required.merging(more) { $1 })).cadence
    }

    @Test(arguments: numbers.indices)
    func `each setting changes its own number and no other`(index: Int) throws {
        let number = Self.numbers[index]
        let policy = try policy(["RANGERS_CADENCE_" + number.name: number.value])
        for (other, expected) in Self.numbers.enumerated() {
            let defaultValue = expected.read(CadencePolicy())
            #expect(defaultValue != expected.value, "the test needs a value other than the default")
            #expect(expected.read(policy) == (other == index ? number.value : defaultValue), "\(expected.name)")
        }
    }

    @Test func `every number of the cadence policy has a setting`() {
        func leaves(_ value: Any) -> Int {
            guard !(value is Duration), !(value is Int) else { return 1 }
            return Mirror(reflecting: value).children.map { leaves($0.value) }.reduce(0, +)
        }
        #expect(leaves(CadencePolicy()) == Self.numbers.count)
    }

    @Test func `the reference fits a terminal of 80 columns`() {
        for line in Setting.reference.split(separator: "\n") {
            #expect(line.count < 80, "\(line)")
        }
    }

    @Test func `the reference names every setting and its default`() {
        for setting in Setting.allCases {
            #expect(Setting.reference.contains("  \(setting.rawValue)"))
        }
        #expect(Setting.reference.contains("  RANGERS_HTTP_PORT (8081)\n      port that the API listens on"))
        #expect(Setting.reference.contains("  RANGERS_CADENCE_ALERT_EXPIRY (10m)\n"))
    }
}
