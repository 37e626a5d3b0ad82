import APNsClient
import Foundation
import GameCore
import PartyAPI
import PushDispatcher
import Testing

@testable import NodeMonitoring

/// The diagnosis of connection, key and topic by a push to an unused token.
@Suite struct APNsDiagnosisTests {
    private func all(_ outcome: APNsOutcome) -> [DoctorCheck] {
        DoctorCheck.apns(
            outcome,
            in: .sandbox,
            at: ("api.example.com", 443),
            topic: "com.example.rangers.push-type.liveactivity",
            connections: 1
        )
    }

    /// Returns whether each executed check is ok, by its name.
    private func results(_ outcome: APNsOutcome) -> [String: Bool] {
        let checks = all(outcome)
        #expect(checks.allSatisfy { ($0.status == .ok) == ($0.remedy == nil) })
        let made = checks.filter { $0.status != .skipped }
        return Dictionary(uniqueKeysWithValues: made.map { ($0.name, $0.status == .ok) })
    }

    private func rejected(_ status: Int, _ reason: APNsReason) -> [String: Bool] {
        results(.rejected(APNsRejection(status: status, reason: reason)))
    }

    @Test func `a bad device token is the expected response`() {
        #expect(
            rejected(400, .badDeviceToken)
                == ["connection (sandbox)": true, "provider key (sandbox)": true, "topic (sandbox)": true]
        )
    }

    @Test func `a rejected key or topic is reported as such`() {
        let key = ["connection (sandbox)": true, "provider key (sandbox)": false]
        #expect(rejected(403, .invalidProviderToken) == key)
        #expect(rejected(403, .badEnvironmentKeyInToken) == key)
        #expect(
            rejected(400, .topicDisallowed)
                == ["connection (sandbox)": true, "provider key (sandbox)": true, "topic (sandbox)": false]
        )
        #expect(rejected(503, .serviceUnavailable) == ["connection (sandbox)": true, "response (sandbox)": false])
    }

    @Test func `a missing or impossible response is a failure`() {
        #expect(results(.neverSent(.connection("refused"))) == ["connection (sandbox)": false])
        #expect(results(.unknown(.timedOut)) == ["connection (sandbox)": false])
        let silent = all(.unknown(.timedOut))
        #expect(silent.map(\.name) == ["connection (sandbox)", "provider key (sandbox)", "topic (sandbox)"])
        #expect(silent.map(\.status) == [.failed, .skipped, .skipped])
        #expect(silent[0].finding == APNsOutcome.unknown(.timedOut).advice.meaning)
        // The advice for a push to a phone does not apply to an unused token.
        let remedy = silent[0].remedy ?? ""
        #expect(!remedy.contains("phone") && remedy.contains("api.example.com:443"))
        #expect(
            results(.accepted(apnsID: UUID(), uniqueID: nil))
                == ["connection (sandbox)": true, "response (sandbox)": false]
        )
    }
}
