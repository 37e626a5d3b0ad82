import ArgumentParser
import CommandLineSupport
import Foundation
import RangersClient

/// Requests a push to an activity and waits for its result.
struct ActivityPush {
    /// The longest wait for the result.
    ///
    /// A dispatcher sends the push at once and flushes its result at once; a dispatcher of an older release takes ten
    /// seconds.
    private static let timeout = Duration.seconds(30)
    private static let pollInterval = Duration.milliseconds(500)

    let activity: String
    /// The kind of push: `update` or `end`.
    let event: String
    let json: Bool
    let client: OperatorClient
    let key: IdempotencyKey

    /// The response to `POST /admin/v1/activities/{activityID}/pushes`.
    private struct RequestResponse: Decodable {
        let position: Int64
    }

    func run() async throws {
        let query = [URLQueryItem(name: "event", value: event)]
        let body = try await client.change("activities", activity, "pushes", query: query, key: key)
        let position = try client.decode(RequestResponse.self, from: body).position
        let start = ContinuousClock.now
        var decisions = PushDecisions(decisions: [], requestedPush: nil)
        var watch = DispatcherWatch()
        polling: while ContinuousClock.now < start + Self.timeout {
            decisions = try await Retrier(report: StandardError.print).run(after: \.isTransient) {
                () throws(OperatorClientError) in
                let body = try await client.get("activities", activity, "decisions")
                return try client.decode(PushDecisions.self, from: body)
            }
            if let push = decisions.push(requestPosition: position) {
                try show(push, decisions.newestDecision)
                guard push.isAccepted else { throw ExitCode.failure }
                return
            }
            switch watch.polled(hasDispatcher: decisions.hasDispatcher, at: .now - start) {
            case .wait: break
            case .warn:
                StandardError.print(
                    "No dispatcher has the activity's shard. The push is sent when one takes it, even after this command "
                        + "has ended. Start a rangersd with the role dispatcher."
                )
            case .giveUp: break polling
            }
            try await Task.sleep(for: Self.pollInterval)
        }
        for line in decisions.delay(requestPosition: position) { StandardError.print(line) }
        throw ExitCode.failure
    }

    private func show(_ push: PushResponse, _ decision: PushDecisions.Decision?) throws {
        if json {
            print(try push.sortedJSON)
        } else {
            for line in push.lines(fitting: Terminal.columns) { print(line) }
            if let decision { print("Decision  \(decision.sentence)") }
        }
    }
}

/// Decides how long to wait for a dispatcher that is missing.
struct DispatcherWatch {
    /// The next step of the caller.
    enum Step: Equatable {
        case wait
        /// Warn that the dispatcher is missing, and wait.
        case warn
        case giveUp
    }

    /// The longest wait for a dispatcher: the shards of a killed one are taken over within two seconds.
    static let handoverTime = Duration.seconds(8)

    private var missingSince: Duration?
    private var hasWarned = false

    /// Processes a response of the server.
    /// - Parameters:
    ///   - hasDispatcher: whether a dispatcher has the activity's shard; nil from an older server.
    ///   - elapsed: the time since the push was requested.
    /// - Returns: the next step.
    mutating func polled(hasDispatcher: Bool?, at elapsed: Duration) -> Step {
        guard hasDispatcher == false else {
            missingSince = nil
            return .wait
        }
        let since = missingSince ?? elapsed
        missingSince = since
        guard hasWarned else {
            hasWarned = true
            return .warn
        }
        return elapsed - since < Self.handoverTime ? .wait : .giveUp
    }
}

/// The response to `GET /admin/v1/activities/{activityID}/decisions`, limited to pushes.
struct PushDecisions: Decodable {
    struct Decision: Decodable, Hashable {
        /// The name of the decision on a server that does not send to the environment of the activity's token.
        private static let notServed = "notServed"

        /// The name of the decision, for programs.
        let decision: String?
        let trigger: String
        let action: String
        let reason: String?
        let outcome: String?

        /// The trigger, the action and the reason.
        var sentence: String { Printable.text("\(trigger). \(action)\(reason.map { " – \($0)" } ?? "").") }

        /// Whether the server sends to the environment of the activity's token.
        var isServed: Bool { decision != Self.notServed }
    }

    /// A push that an operator requested, with its result.
    struct RequestedPush: Decodable {
        let position: Int64
        let push: PushResponse
    }

    let decisions: [Decision]
    let requestedPush: RequestedPush?
    /// Whether a dispatcher has the activity's shard; nil from an older server.
    var hasDispatcher: Bool?

    /// Returns the result of a requested push or of a later one, which replaces it; nil if there is none yet.
    func push(requestPosition position: Int64) -> PushResponse? {
        requestedPush.flatMap { $0.position >= position ? $0.push : nil }
    }

    /// Returns the explanation for a requested push without a result.
    ///
    /// The newest decision explains the delay. If the server does not send to the environment of the token, there is
    /// nothing to wait for.
    func delay(requestPosition position: Int64) -> [String] {
        let decision = newestDecision.map { [$0.sentence] } ?? []
        guard newestDecision?.isServed ?? true else { return decision }
        return decision + [
            "The push is requested (position \(position)), but there is no result yet: a dispatcher sends it later. "
                + "See 'rangersctl activity explain'."
        ]
    }

    /// The newest decision, which explains the result of the push, or its delay.
    ///
    /// A dispatcher flushes the decisions together with the result.
    var newestDecision: Decision? {
        (requestedPush == nil ? nil : decisions.last { $0.outcome != nil }) ?? decisions.last
    }
}
