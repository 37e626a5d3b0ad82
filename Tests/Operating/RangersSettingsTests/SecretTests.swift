import RangersSettings
import Testing

@Suite struct SecretTests {
    private static let url = "postgresql://ranger:hunter2@db/rangers"

    private func read(_ environment: [String: String]) throws(SettingsError) -> DatabaseSettings {
        try DatabaseSettings(from: SettingsSources(environment: environment))
    }

    private func problem(_ environment: [String: String]) -> String? {
        do throws(SettingsError) {
            _ = try read(environment)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `every way to print a secret prints a placeholder`() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\([secret])", dumped] {
            #expect(!text.contains("hunter2"))
        }
        #expect(secret.revealed() == "hunter2")
    }

    @Test func `a secret is read from a file, without the newline at its end`() throws {
        let file = try TemporaryFile(Self.url + "\n")
        let settings = try read(["RANGERS_DATABASE_URL_FILE": file.path])
        #expect(settings.url.revealed() == Self.url)
    }

    @Test func `a secret's file in the environment wins over the secret in the configuration file`() throws {
        let secret = try TemporaryFile(Self.url)
        let configuration = try TemporaryFile("RANGERS_DATABASE_URL=postgresql:///other")
        let settings = try DatabaseSettings(
            from: SettingsSources(
                environment: ["RANGERS_DATABASE_URL_FILE": secret.path],
                configurationFile: configuration.path
            )
        )
        #expect(settings.url.revealed() == Self.url)
    }

    @Test func `a missing secret file is reported once, with its path`() {
        #expect(
            problem(["RANGERS_DATABASE_URL_FILE": "/nowhere"]) == "RANGERS_DATABASE_URL_FILE: /nowhere does not exist"
        )
    }

    @Test func `a secret that one source sets twice is a problem`() throws {
        let file = try TemporaryFile(Self.url)
        #expect(
            problem(["RANGERS_DATABASE_URL": Self.url, "RANGERS_DATABASE_URL_FILE": file.path])
                == "RANGERS_DATABASE_URL and RANGERS_DATABASE_URL_FILE are both set (environment); remove one"
        )
    }

    @Test func `a malformed secret is not repeated in the error`() {
        #expect(
            problem(["RANGERS_DATABASE_URL": "mysql://ranger:hunter2@db"])
                == "RANGERS_DATABASE_URL (environment) is not a PostgreSQL URI, which begins with postgresql://"
        )
    }

    @Test func `an empty file is not a secret`() throws {
        let file = try TemporaryFile("\n")
        #expect(
            problem(["RANGERS_DATABASE_URL_FILE": file.path])
                == "RANGERS_DATABASE_URL (environment) is empty; remove it or give it a value"
        )
    }
}
