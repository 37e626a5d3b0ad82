import Foundation
import Testing

@testable import RangersSettings

@Suite struct SourceTests {
    /// A few settings of different types, read from their sources.
    private struct SomeSettings {
        let host: String
        let port: Int
        let pooler: DatabasePooler?
        let problems: [String]

        init(_ sources: SettingsSources) {
            var reader = SettingsReader(sources)
            pooler = reader.database()?.pooler
            host = reader.value(.httpHost, default: "127.0.0.1", as: SettingValue.host)
            port = reader.value(.httpPort, default: 8081, as: SettingValue.number(0...65_535))
            _ = reader.optional(.bossTurn, as: SettingValue.duration(.seconds(1)...(.seconds(60))))
            problems = reader.problems.map(\.description)
        }
    }

    private static let environment = ["RANGERS_DATABASE_URL": "postgresql:///rangers"]

    private func problems(_ more: [String: String] = [:], file: String? = nil) -> [String] {
        SomeSettings(
            SettingsSources(environment: Self.environment.merging(more) { $1 }, configurationFile: file)
        ).problems
    }

    @Test func `flags override the environment, which overrides the file`() throws {
        let file = try TemporaryFile(
            "RANGERS_HTTP_HOST=file\nRANGERS_HTTP_PORT=1\nRANGERS_DATABASE_POOLER=transaction\n"
        )
        let settings = SomeSettings(
            SettingsSources(
                flags: [SettingsSources.Flag("--host", "flag", sets: .httpHost)].compactMap(\.self),
                environment: Self.environment.merging(["RANGERS_HTTP_HOST": "env", "RANGERS_HTTP_PORT": "2"]) { $1 },
                configurationFile: file.path
            )
        )
        #expect(settings.host == "flag")
        #expect(settings.port == 2)
        #expect(settings.pooler == .transaction)
        #expect(settings.problems.isEmpty)
    }

    @Test func `a flag without a value sets nothing`() {
        #expect(SettingsSources.Flag("--host", nil, sets: .httpHost) == nil)
    }

    @Test func `all problems are reported at once, each with its origin`() throws {
        let file = try TemporaryFile(
            """
            RANGERS_BOSS_TURN=soon
            just words
            RANGERS_HTTP_PROT=80
            """
        )
        let found = SomeSettings(
            SettingsSources(
                flags: [SettingsSources.Flag("--port", "99999", sets: .httpPort)].compactMap(\.self),
                environment: ["RANGERS_DATABASE_POOLER": "session"],
                configurationFile: file.path
            )
        ).problems
        #expect(
            found == [
                "\(file.path), line 2: is not a setting; write NAME=value, or # before a comment",
                "RANGERS_HTTP_PROT (\(file.path), line 3) is not a setting; did you mean RANGERS_HTTP_PORT?",
                "RANGERS_DATABASE_URL is missing: set it to the URI of a PostgreSQL database, such as "
                    + "postgresql://user@host/name, or set RANGERS_DATABASE_URL_FILE to a file that contains one",
                "RANGERS_DATABASE_POOLER (environment): \"session\" is not one of none, transaction",
                "RANGERS_HTTP_PORT (--port): \"99999\" is not a whole number from 0 to 65535",
                "RANGERS_BOSS_TURN (\(file.path), line 1): \"soon\" is not a duration; "
                    + "write a whole number and ms, s, m or h, such as 500ms or 10s",
            ]
        )
    }

    @Test(
        arguments: [
            ("RANGERS_DATABASE_URI", "RANGERS_DATABASE_URL"),
            ("RANGERS_APNS_KEYID", "RANGERS_APNS_KEY_ID"),
            ("RANGERS_JURNEY_TICK", "RANGERS_JOURNEY_TICK"),
            ("RANGERS_ROLE", "RANGERS_ROLES"),
            ("RANGERS_CADENCE_FREQUENT_TURNSPACING", "RANGERS_CADENCE_FREQUENT_TURN_SPACING"),
        ]
    )
    func `a mistyped name is reported with the nearest setting`(typed: String, meant: String) {
        #expect(problems([typed: "x"]) == ["\(typed) (environment) is not a setting; did you mean \(meant)?"])
    }

    @Test func `a name unlike any setting gets no suggestion`() {
        #expect(problems(["RANGERS_WEATHER": "fair"]) == ["RANGERS_WEATHER (environment) is not a setting"])
    }

    @Test func `variables of other programs are ignored`() {
        #expect(problems(["RANGERS_SERVER": "x", "RANGERS_OPERATOR_TOKEN": "x", "PATH": "/bin"]).isEmpty)
    }

    @Test func `an empty value is a problem, not a default`() {
        #expect(
            problems(["RANGERS_HTTP_HOST": ""])
                == ["RANGERS_HTTP_HOST (environment): \"\" is empty; remove it or give it a value"]
        )
    }

    @Test func `a missing configuration file is a problem`() {
        #expect(
            problems(file: "/nowhere/rangers.conf") == ["the configuration file /nowhere/rangers.conf does not exist"]
        )
    }

    @Test func `a folder is not a configuration file`() throws {
        let found = problems(file: FileManager.default.temporaryDirectory.path(percentEncoded: false))
        #expect(found.count == 1)
        #expect(found.first?.contains("cannot be read") == true)
    }

    @Test func `a configuration file that is not text is a problem`() throws {
        let file = try TemporaryFile(Data([0xFF, 0xFE, 0x00]))
        #expect(problems(file: file.path) == ["the configuration file \(file.path) is not UTF-8 text"])
    }
}
