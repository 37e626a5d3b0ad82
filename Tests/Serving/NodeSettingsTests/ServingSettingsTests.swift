import NodeSettings
import RangersSettings
import Testing

@Suite struct ServingSettingsTests {
    private func serving(_ environment: [String: String]) throws(SettingsError) -> ServingSettings {
        let required = ["RANGERS_DATABASE_URL": "postgresql:///rangers", "RANGERS_ROLES": "api"]
        let sources = SettingsSources(environment: required.merging(environment) { $1 })
        return try ServiceSettings(from: sources).serving
    }

    private func problems(_ environment: [String: String]) -> [String] {
        do throws(SettingsError) {
            _ = try serving(environment)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test func `unset settings have their defaults`() throws {
        let serving = try serving([:])
        #expect(serving.tls == nil)
        #expect(serving.headerTimeout == .seconds(10) && serving.bodyTimeout == .seconds(20))
        #expect(serving.requestTimeout == .seconds(30) && serving.sendTimeout == .seconds(30))
        #expect(serving.idleTimeout == .seconds(75) && serving.maxConnections == 10_000)
        #expect(serving.stopDelay == .zero)
    }

    @Test func `each setting is read by its name`() throws {
        let serving = try serving([
            "RANGERS_HTTP_HEADER_TIMEOUT": "1s", "RANGERS_HTTP_BODY_TIMEOUT": "2s",
            "RANGERS_HTTP_REQUEST_TIMEOUT": "3s",
            "RANGERS_HTTP_SEND_TIMEOUT": "4s", "RANGERS_HTTP_IDLE_TIMEOUT": "5s", "RANGERS_HTTP_CONNECTIONS": "6",
            "RANGERS_HTTP_STOP_DELAY": "7s", "RANGERS_TLS_CERTIFICATE_FILE": "cert.pem",
            "RANGERS_TLS_KEY_FILE": "key.pem",
        ])
        #expect(serving.headerTimeout == .seconds(1) && serving.bodyTimeout == .seconds(2))
        #expect(serving.requestTimeout == .seconds(3) && serving.sendTimeout == .seconds(4))
        #expect(serving.idleTimeout == .seconds(5) && serving.maxConnections == 6 && serving.stopDelay == .seconds(7))
        #expect(serving.tls?.certificate == "cert.pem" && serving.tls?.key == "key.pem")
    }

    @Test func `malformed and contradictory values are reported`() {
        #expect(problems(["RANGERS_HTTP_CONNECTIONS": "0"]).first?.contains("is not a whole number from 1 to") == true)
        #expect(problems(["RANGERS_HTTP_BODY_TIMEOUT": "0s"]).first?.contains("is not between 100ms and 1h") == true)
        let half = problems(["RANGERS_TLS_KEY_FILE": "key.pem"])
        #expect(
            half == [
                "RANGERS_TLS_KEY_FILE is set and RANGERS_TLS_CERTIFICATE_FILE is not: TLS needs both, plain HTTP neither"
            ]
        )
    }
}
