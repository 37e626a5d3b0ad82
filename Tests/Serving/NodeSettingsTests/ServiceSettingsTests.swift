import APNsClient
import Encodings
import GameCore
import GameEngine
import Logging
import NodeSettings
import PushCadence
import RangersSettings
import Testing

@Suite struct ServiceSettingsTests {
    private static let simulator = [
        "RANGERS_DATABASE_URL": "postgresql:///rangers",
        "RANGERS_APNS_ENVIRONMENT": "simulator",
        "RANGERS_APNS_PORT": "2197",
        "RANGERS_APNS_CA_FILE": "ca.pem",
        "RANGERS_APNS_KEY_FILE": "key.p8",
        "RANGERS_APNS_KEY_ID": "ABCDE12345",
        "RANGERS_APNS_TEAM_ID": "TEAM012345",
        "RANGERS_APNS_BUNDLE_ID": "com.example.emoji-rangers",
    ]

    private func settings(_ more: [String: String?] = [:]) throws(SettingsError) -> ServiceSettings {
        let environment = Self.simulator.merging(more.compactMapValues(\.self)) { $1 }
            .filter { !more.keys.contains($0.key) || more[$0.key] != .some(nil) }
        return try ServiceSettings(from: SettingsSources(environment: environment))
    }

    private func problems(_ more: [String: String?]) -> [String] {
        do throws(SettingsError) {
            _ = try settings(more)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test func `unset settings have their defaults`() throws {
        let settings = try settings()
        #expect(settings.httpHost == "127.0.0.1")
        #expect(settings.httpPort == 8081)
        #expect(settings.adminHost == "127.0.0.1" && settings.adminPort == nil)
        #expect(settings.metricsHost == "127.0.0.1" && settings.metricsPort == nil)
        #expect(settings.logLevel == .info)
        #expect("\(settings.logFormat)" == "text")
        #expect(settings.roles == [.api, .engine, .dispatcher])
        #expect(settings.game.journeyTick == GameSettings().journeyTick)
        #expect(settings.game.bossTurn == GameSettings().bossTurn)
        #expect(settings.cadence == CadencePolicy())
    }

    @Test func `metrics address and log format are read, and malformed ones are rejected with a reason`() throws {
        let settings = try settings([
            "RANGERS_METRICS_HOST": "::1", "RANGERS_METRICS_PORT": "0", "RANGERS_LOG_FORMAT": "json",
            "RANGERS_ADMIN_HOST": "10.0.0.1", "RANGERS_ADMIN_PORT": "8082",
        ])
        #expect(settings.adminHost == "10.0.0.1" && settings.adminPort == 8082)
        #expect(settings.metricsHost == "::1" && settings.metricsPort == 0 && "\(settings.logFormat)" == "json")
        let found = problems(["RANGERS_METRICS_PORT": "65536", "RANGERS_LOG_FORMAT": "jsn"])
        #expect(found.count == 2)
        #expect(found[0].contains("RANGERS_METRICS_PORT") && found[0].contains("from 0 to 65535"))
        #expect(found[1].contains("RANGERS_LOG_FORMAT") && found[1].contains("did you mean json?"))
    }

    @Test func `the settings of a simulator are read`() throws {
        let apns = try #require(try settings().apns)
        let configured = try #require(apns.environmentKeys.first)
        #expect(apns.environmentKeys.count == 1)
        #expect(configured.environment == .simulator)
        #expect(apns.host == nil)
        #expect(apns.port == 2197)
        #expect(apns.certificateAuthorityFile == "ca.pem")
        #expect(configured.key.path == "key.p8")
        #expect(configured.key.keyID == "ABCDE12345")
        #expect(configured.key.teamID == "TEAM012345")
        #expect(apns.bundleID == "com.example.emoji-rangers")
    }

    @Test func `every missing APNs setting of a dispatcher is reported`() {
        let found = problems([
            "RANGERS_APNS_CA_FILE": nil, "RANGERS_APNS_KEY_FILE": nil,
            "RANGERS_APNS_KEY_ID": nil, "RANGERS_APNS_TEAM_ID": nil, "RANGERS_APNS_BUNDLE_ID": nil,
        ])
        #expect(
            found.map { $0.prefix { $0 != ":" } } == [
                "RANGERS_APNS_CA_FILE is missing", "RANGERS_APNS_KEY_FILE is missing",
                "RANGERS_APNS_KEY_ID is missing", "RANGERS_APNS_TEAM_ID is missing",
                "RANGERS_APNS_BUNDLE_ID is missing",
            ]
        )
    }

    @Test(arguments: ["production", "sandbox"])
    func `Apple's own APNs needs neither a port nor a certificate authority`(environment: String) throws {
        let apns = try settings([
            "RANGERS_APNS_ENVIRONMENT": environment, "RANGERS_APNS_PORT": nil, "RANGERS_APNS_CA_FILE": nil,
        ]).apns
        #expect(apns?.environmentKeys.map(\.environment.rawValue) == [environment])
        #expect(apns?.port == nil)
    }

    @Test func `an API process with a provider key needs all APNs settings`() throws {
        let settings = try settings(["RANGERS_ROLES": "api"])
        #expect(settings.apns?.environmentKeys.map(\.environment) == [.simulator])
        #expect(try self.settings(["RANGERS_ROLES": "engine"]).apns == nil)
        #expect(try self.settings(["RANGERS_ROLES": "api,engine", "RANGERS_APNS_KEY_FILE": nil]).apns == nil)
        let found = problems(["RANGERS_ROLES": "api", "RANGERS_APNS_BUNDLE_ID": nil, "RANGERS_APNS_CA_FILE": nil])
        #expect(found.count == 2 && found.allSatisfy { $0.contains("and so does api with a provider key") })
    }

    @Test func `a process without the role dispatcher needs no APNs settings`() throws {
        let settings = try ServiceSettings(
            from: SettingsSources(
                environment: ["RANGERS_DATABASE_URL": "postgresql:///rangers", "RANGERS_ROLES": "engine, api"]
            )
        )
        #expect(settings.roles == [.api, .engine])
        #expect(settings.apns == nil)
    }

    @Test(arguments: ["FREQUENT", "STANDARD"])
    func `the smallest accepted budget suffices for an activity`(pace: String) throws {
        let capacity = "RANGERS_CADENCE_\(pace)_HIGH_CAPACITY"
        let reserve = "RANGERS_CADENCE_\(pace)_ALERT_RESERVE"
        #expect(problems([capacity: "2", reserve: "1"]).count == 2)
        let settings = try settings([capacity: "3", reserve: "2"])
        // The initializer traps if the numbers contradict each other.
        let activity = ActivityCadence(
            policy: settings.cadence,
            frequentPushesEnabled: pace == "FREQUENT",
            startedAt: Timestamp(epochSeconds: 0),
            resuming: nil,
            acknowledgedAt: Timestamp(epochSeconds: 0)
        )
        #expect(activity.pendingSince == nil)
    }

    @Test func `malformed roles cause no further problems about APNs`() {
        let sources = SettingsSources(
            environment: ["RANGERS_DATABASE_URL": "postgresql:///rangers", "RANGERS_ROLES": "everything"]
        )
        #expect {
            try ServiceSettings(from: sources)
        } throws: { error in
            (error as? SettingsError)?.problems.count == 1
        }
    }

    @Test func `APNs settings must be valid even if the process does not use them`() {
        let found = problems(["RANGERS_ROLES": "api", "RANGERS_APNS_KEY_ID": "short"])
        #expect(
            found == [
                "RANGERS_APNS_KEY_ID (environment): \"short\" is not an Apple identifier, "
                    + "which has 10 capital letters and digits"
            ]
        )
    }

    @Test(
        arguments: [
            (
                "RANGERS_ROLES", "api,engin",
                "contains \"engin\", which is not one of api, engine, dispatcher; did you mean engine?"
            ),
            ("RANGERS_ROLES", "api,", "contains \"\", which is not one of api, engine, dispatcher"),
            ("RANGERS_HTTP_HOST", "http://x", "is not a host name or address; "),
            ("RANGERS_HTTP_PORT", "-1", "is not a whole number from 0 to 65535"),
            ("RANGERS_APNS_PORT", "0", "is not a whole number from 1 to 65535"),
            (
                "RANGERS_APNS_ENVIRONMENT", "Sandbox",
                "is not one of production, sandbox, simulator; did you mean sandbox?"
            ),
            (
                "RANGERS_APNS_ENVIRONMENT", "sandbox,prod",
                "contains \"prod\", which is not one of production, sandbox, simulator"
            ),
            ("RANGERS_APNS_BUNDLE_ID", "a b", "is not a bundle identifier"),
            ("RANGERS_APNS_BUNDLE_ID", "com.example.app.push-type.liveactivity", "is a topic; "),
            ("RANGERS_JOURNEY_TICK", "50ms", "is not between 100ms and 24h"),
            ("RANGERS_BOSS_TURN", "25h", "is not between 100ms and 24h"),
            ("RANGERS_KEEP_ENDED", "23h", "is not between 24h and 87600h"),
            ("RANGERS_KEEP_OUTLINES", "23h", "is not between 24h and 87600h"),
            ("RANGERS_CADENCE_FREQUENT_TURN_SPACING", "500ms", "is not between 1s and 8h"),
            ("RANGERS_CADENCE_STANDARD_HIGH_CAPACITY", "many", "is not a whole number from 3 to 1000"),
            ("RANGERS_CADENCE_DISMISSAL_AFTER", "5h", "is not between 0s and 4h"),
        ]
    )
    func `a malformed value is reported with its reason`(name: String, value: String, reason: String) {
        let found = problems([name: value])
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("\(name) (environment): \"\(value)\" \(reason)") == true)
    }

    @Test(
        arguments: [
            ("500ms", Duration.milliseconds(500)), ("10s", .seconds(10)), ("2m", .seconds(120)), ("1h", .seconds(3600)),
        ]
    )
    func `a duration is a whole number with a unit`(text: String, duration: Duration) throws {
        #expect(try settings(["RANGERS_BOSS_TURN": text]).game.bossTurn == duration)
        #expect(duration.settingText == text)
    }

    @Test(arguments: [
        "10", "s", "1.5s", "-1s", "1 s", "1d", "10S", "٣s", "99999999999999999999s", "9223372036854775807h",
    ])
    func `any other text is not a duration`(text: String) {
        #expect(problems(["RANGERS_BOSS_TURN": text]).count == 1)
    }

    @Test func `an alert reserve that takes the whole budget is a problem`() {
        #expect(
            problems(["RANGERS_CADENCE_STANDARD_HIGH_CAPACITY": "3"]) == [
                "RANGERS_CADENCE_STANDARD_ALERT_RESERVE (4) leaves nothing of RANGERS_CADENCE_STANDARD_HIGH_CAPACITY (3) "
                    + "for other pushes: make it smaller"
            ]
        )
    }

    @Test func `a turn spacing longer than the low spacing is a problem`() {
        #expect(
            problems(["RANGERS_CADENCE_STANDARD_TURN_SPACING": "60s"]) == [
                "RANGERS_CADENCE_STANDARD_TURN_SPACING (1m) is longer than RANGERS_CADENCE_STANDARD_LOW_SPACING (30s): "
                    + "turns would wait longer than small changes"
            ]
        )
    }
}
