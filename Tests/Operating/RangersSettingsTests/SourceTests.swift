import Foundation
import Logging
import RangersSettings
import Testing

@Suite struct SourceTests {
    private static let database = ["RANGERS_DATABASE_URL": "postgresql:///rangers"]
    /// A process that sends no pushes, so that only the database must be given.
    private static let environment = database.merging(["RANGERS_ROLES": "api"]) { $1 }

    private func problems(
        flags: [SettingsSources.Flag?] = [],
        environment: [String: String] = Self.environment,
        file: String? = nil
    ) -> [String] {
        let sources = SettingsSources(
            flags: flags.compactMap(\.self),
            environment: environment,
            configurationFile: file
        )
        do {
            _ = try ServiceSettings(from: sources)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test func `flags win over the environment, which wins over the file`() throws {
        let file = try TemporaryFile("RANGERS_HTTP_HOST=file\nRANGERS_HTTP_PORT=1\nRANGERS_LOG_LEVEL=trace\n")
        let settings = try ServiceSettings(
            from: SettingsSources(
                flags: [SettingsSources.Flag("--host", "flag", sets: .httpHost)].compactMap(\.self),
                environment: Self.environment.merging(["RANGERS_HTTP_HOST": "env", "RANGERS_HTTP_PORT": "2"]) { $1 },
                configurationFile: file.path
            )
        )
        #expect(settings.httpHost == "flag")
        #expect(settings.httpPort == 2)
        #expect(settings.logLevel == .trace)
    }

    @Test func `a flag that was not given sets nothing`() {
        #expect(SettingsSources.Flag("--host", nil, sets: .httpHost) == nil)
    }

    @Test func `everything that is wrong is said at once, with its place`() throws {
        let file = try TemporaryFile(
            """
            RANGERS_BOSS_TURN=soon
            just words
            RANGERS_HTTP_PROT=80
            """
        )
        let found = problems(
            flags: [SettingsSources.Flag("--port", "99999", sets: .httpPort)],
            environment: ["RANGERS_ROLES": "api", "RANGERS_LOG_LEVEL": "chatty"],
            file: file.path
        )
        #expect(
            found == [
                "\(file.path), line 2: is no setting; write NAME=value, or # before a comment",
                "RANGERS_HTTP_PROT (\(file.path), line 3) is no setting; did you mean RANGERS_HTTP_PORT?",
                "RANGERS_DATABASE_URL is missing: which PostgreSQL database? Set it to a URI like "
                    + "postgresql://user@host/name, or set RANGERS_DATABASE_URL_FILE to a file that holds one",
                "RANGERS_HTTP_PORT (--port): \"99999\" is no whole number from 0 to 65535",
                "RANGERS_LOG_LEVEL (environment): \"chatty\" is none of "
                    + "trace, debug, info, notice, warning, error, critical",
                "RANGERS_BOSS_TURN (\(file.path), line 1): \"soon\" is no duration; "
                    + "write a whole number and ms, s, m or h, like 500ms or 10s",
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
    func `a mistyped name gets the one that was meant`(typed: String, meant: String) {
        let found = problems(environment: Self.environment.merging([typed: "x"]) { $1 })
        #expect(found == ["\(typed) (environment) is no setting; did you mean \(meant)?"])
    }

    @Test func `a name like no other gets no suggestion`() {
        let found = problems(environment: Self.environment.merging(["RANGERS_WEATHER": "fair"]) { $1 })
        #expect(found == ["RANGERS_WEATHER (environment) is no setting"])
    }

    @Test func `names of our other programs may stand in the environment`() {
        let others = ["RANGERS_SERVER": "x", "RANGERS_OPERATOR_TOKEN": "x", "PATH": "/bin"]
        #expect(problems(environment: Self.environment.merging(others) { $1 }).isEmpty)
    }

    @Test func `an empty value is a problem, not a default`() {
        let found = problems(environment: Self.environment.merging(["RANGERS_HTTP_HOST": ""]) { $1 })
        #expect(found == ["RANGERS_HTTP_HOST (environment): \"\" is empty; leave it out or give it a value"])
    }

    @Test func `a configuration file that is not there is a problem`() {
        #expect(
            problems(file: "/nowhere/rangers.conf") == ["the configuration file /nowhere/rangers.conf does not exist"]
        )
    }

    @Test func `a folder is no configuration file`() throws {
        let found = problems(file: FileManager.default.temporaryDirectory.path(percentEncoded: false))
        #expect(found.count == 1)
        #expect(found.first?.contains("cannot be read") == true)
    }

    @Test func `a configuration file that is not text is a problem`() throws {
        let file = try TemporaryFile(Data([0xFF, 0xFE, 0x00]))
        #expect(problems(file: file.path) == ["the configuration file \(file.path) is not UTF-8 text"])
    }
}
