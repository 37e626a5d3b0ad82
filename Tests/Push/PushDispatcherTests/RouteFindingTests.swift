import APNsClient
import Foundation
import GameStore
import Testing

@testable import PushDispatcher

/// What the answer to a push to nobody's token tells of key, topic and way.
@Suite struct RouteFindingTests {
    private func all(_ outcome: APNsOutcome) -> [RouteFinding] {
        RouteFinding.findings(
            of: outcome,
            in: .sandbox,
            at: ("api.example.com", 443),
            topic: "com.example.rangers.push-type.liveactivity",
            connections: 1
        )
    }

    /// Whether what was looked at is fine.
    private func findings(_ outcome: APNsOutcome) -> [String: Bool] {
        let findings = all(outcome)
        #expect(findings.allSatisfy { ($0.state == .fine) == ($0.remedy == nil) })
        let seen = findings.filter { $0.state != .unseen }
        return Dictionary(uniqueKeysWithValues: seen.map { ($0.name, $0.state == .fine) })
    }

    private func refused(_ status: Int, _ reason: APNsReason) -> [String: Bool] {
        findings(.rejected(APNsRejection(status: status, reason: reason)))
    }

    @Test func `a bad device token is the answer that there must be`() {
        #expect(
            refused(400, .badDeviceToken)
                == ["connection (sandbox)": true, "provider key (sandbox)": true, "topic (sandbox)": true]
        )
    }

    @Test func `a refused key or topic is told as such`() {
        let key = ["connection (sandbox)": true, "provider key (sandbox)": false]
        #expect(refused(403, .invalidProviderToken) == key)
        #expect(refused(403, .badEnvironmentKeyInToken) == key)
        #expect(
            refused(400, .topicDisallowed)
                == ["connection (sandbox)": true, "provider key (sandbox)": true, "topic (sandbox)": false]
        )
        #expect(refused(503, .serviceUnavailable) == ["connection (sandbox)": true, "answer (sandbox)": false])
    }

    @Test func `no answer, and one that cannot be, are wrong`() {
        #expect(findings(.neverSent(.connection("refused"))) == ["connection (sandbox)": false])
        #expect(findings(.unknown(.timedOut)) == ["connection (sandbox)": false])
        let silent = all(.unknown(.timedOut))
        #expect(silent.map(\.name) == ["connection (sandbox)", "provider key (sandbox)", "topic (sandbox)"])
        #expect(silent.map(\.state) == [.wrong, .unseen, .unseen])
        #expect(silent[0].finding == APNsOutcome.unknown(.timedOut).advice.meaning)
        // What is said about a push to a phone makes no sense for one to nobody.
        let remedy = silent[0].remedy ?? ""
        #expect(!remedy.contains("phone") && remedy.contains("api.example.com:443"))
        #expect(
            findings(.accepted(apnsID: UUID(), uniqueID: nil))
                == ["connection (sandbox)": true, "answer (sandbox)": false]
        )
    }
}
