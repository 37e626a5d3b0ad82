import APNsClient
import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import PushDispatch
import RangersMetrics
import TestSupport
import Testing

@testable import PushDispatcher

@Suite struct DispatcherMetricsTests {
    @Test func `pushes, decisions, tokens and shards are counted`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (dead, alive) = (newToken(), newToken())
            world.apns.respond(to: dead, with: .reject(status: 410, body: #"{"reason":"ExpiredToken"}"#))
            let (first, second) = (newActivity(), newActivity())
            try await world.register(dead, as: first, of: players[0], for: stored)
            try await world.register(alive, as: second, of: players[1], for: stored)
            try await world.dispatching {
                try await eventually("a dead token") { try await world.activity(first, of: stored).state == .dead }
                try await eventually("all leases") {
                    await world.registry.text().contains("\nrangers_dispatcher_shards_leased 256\n")
                }
                try await eventually("the activities") {
                    await world.registry.text().contains("\nrangers_dispatcher_activities 2\n")
                }
                _ = try await world.commands.end(stored.id, by: .test)
                try await eventually("the end") { try await world.activity(second, of: stored).state == .ended }
            }
            let text = await world.registry.text()
            // The numbers of retries after timeouts depend on the machine.
            for series in [
                #"rangers_pushes_total{priority="5",kind="update",status="410",reason="ExpiredToken"} "#,
                #"rangers_pushes_total{priority="5",kind="update",status="200",reason="accepted"} "#,
                #"rangers_pushes_total{priority="10",kind="alert",status="200",reason="accepted"} "#,
                #"rangers_pushes_total{priority="10",kind="end",status="200",reason="accepted"} "#,
                #"rangers_cadence_decisions_total{decision="send",reason="newToken"} "#,
                #"rangers_cadence_decisions_total{decision="send",reason="alertAdventureOver"} "#,
                #"rangers_cadence_decisions_total{decision="send",reason="endAdventureOver"} "#,
                #"rangers_cadence_decisions_total{decision="idle",reason="tokenDead"} "#,
                #"rangers_tokens_forgotten_total{kind="activity"} 1"#,
                #"rangers_tokens_forgotten_total{kind="pushToStart"} 0"#,
                #"rangers_apns_route_stopped{environment="simulator",topic="liveActivities"} 0"#,
                // Released by the stop.
                "rangers_dispatcher_shards_leased 0", "rangers_dispatcher_pushes_in_flight 0",
            ] {
                #expect(text.contains("\n\(series)"), "\(series)")
            }
            // Two first states at priority 5; an alert and an end at priority 10.
            for pattern in [
                /rangers_push_commit_to_response_seconds_count\{priority="(?:5|10)"\} (\d+)/,
                /rangers_push_lag_seconds_count\{priority="(?:5|10)"\} (\d+)/,
            ] {
                let counts = text.matches(of: pattern).compactMap { Int($0.output.1) }
                #expect(counts.count == 2 && counts.allSatisfy { $0 >= 2 }, "\(counts)")
            }
        }
    }

    @Test func `unknown statuses and reasons create no series of their own`() {
        let odd = APNsRejection(status: 418, reason: APNsReason("Te\"apot\n7"))
        #expect(PushLabels(.low, .start, .rejected(odd)).values == ["5", "start", "other", "other"])
        let empty = APNsRejection(status: 503, reason: APNsReason(""))
        #expect(PushLabels(.high, .end, .rejected(empty)).values == ["10", "end", "503", "none"])
        let broken = APNsFailure.connection("address 10.0.0.7 is gone")
        #expect(PushLabels(.high, .alert, .unknown(broken)).values == ["10", "alert", "unanswered", "connection"])
        #expect(PushLabels(.low, .update, .neverSent(.tooLate)).values == ["5", "update", "unsent", "tooLate"])
    }
}
