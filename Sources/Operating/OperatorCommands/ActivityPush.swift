import ArgumentParser
import CommandLineSupport
import Foundation

/// Has an activity pushed, and waits for what came of it.
struct ActivityPush {
    /// The push goes at once, and what came of it is written at once; a release that does not yet do so takes ten seconds.
    private static let patience = Duration.seconds(30)
    private static let interval = Duration.milliseconds(500)

    let activity: String
    /// `update` or `end`.
    let event: String
    let json: Bool
    let client: OperatorClient
    let key: IdempotencyKey

    /// The answer to `POST /admin/v1/activities/{activityID}/pushes`.
    private struct Asked: Decodable {
        let position: Int64
    }

    func run() async throws {
        let query = [URLQueryItem(name: "event", value: event)]
        let body = try await client.change("activities", activity, "pushes", query: query, key: key)
        let position = try client.decode(Asked.self, from: body).position
        let begun = ContinuousClock.now
        var heard = PushDecisions(decisions: [], askedPush: nil)
        var watch = DispatcherWatch()
        waiting: while ContinuousClock.now < begun + Self.patience {
            heard = try await Perseverance(say: StandardError.print).run(after: \.mayPass) {
                () throws(OperatorClientError) in
                let body = try await client.get("activities", activity, "decisions")
                return try client.decode(PushDecisions.self, from: body)
            }
            if let push = heard.push(askedAt: position) {
                try show(push, heard.decision(since: position))
                guard push.isAccepted else { throw ExitCode.failure }
                return
            }
            switch watch.heard(ofDispatcher: heard.hasDispatcher, at: .now - begun) {
            case .wait: break
            case .warn:
                StandardError.print(
                    "No dispatcher has the activity's shard: it goes out when one takes it, whether somebody waits here or not. "
                        + "Start a rangersd with the role dispatcher."
                )
            case .giveUp: break waiting
            }
            try await Task.sleep(for: Self.interval)
        }
        // A sentence is better than nothing: it says what it waits for.
        if let decision = heard.decision(since: position) { StandardError.print(decision.sentence) }
        StandardError.print(
            "It is asked for (position \(position)), and no answer was heard of: it goes out as soon as a dispatcher takes it. "
                + "'rangersctl activity explain' tells more."
        )
        throw ExitCode.failure
    }

    private func show(_ push: PushAnswer, _ decision: PushDecisions.Decision?) throws {
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(push), as: UTF8.self))
        } else {
            for line in push.lines(fitting: Terminal.columns) { print(line) }
            if let decision { print("Decided   \(decision.sentence)") }
        }
    }
}

/// Decides how long a push is waited for that nobody is there to send.
struct DispatcherWatch {
    /// What to do now.
    enum Step: Equatable {
        case wait
        /// Say that nobody is there.
        case warn
        case giveUp
    }

    /// The leases of a dispatcher that was killed are another's within five to six seconds.
    static let handover = Duration.seconds(8)

    private var missingSince: Duration?
    private var hasWarned = false

    /// Called whenever the server has been asked.
    /// - Parameters:
    ///   - isThere: whether a dispatcher has the activity's shard; nil from a server that does not tell.
    ///   - elapsed: since the push was asked for.
    /// - Returns: what to do now.
    mutating func heard(ofDispatcher isThere: Bool?, at elapsed: Duration) -> Step {
        guard isThere == false else {
            missingSince = nil
            return .wait
        }
        let since = missingSince ?? elapsed
        missingSince = since
        guard hasWarned else {
            hasWarned = true
            return .warn
        }
        return elapsed - since < Self.handover ? .wait : .giveUp
    }
}

/// The answer to `GET /admin/v1/activities/{activityID}/decisions`, as far as it tells of pushes.
struct PushDecisions: Decodable {
    struct Decision: Decodable, Hashable {
        let position: Int64
        let happened: String
        let decided: String
        let why: String?
        let answer: String?

        /// What happened, what was decided, and why.
        var sentence: String { Printable.text("\(happened). \(decided)\(why.map { " – \($0)" } ?? "").") }
    }

    /// A push that an operator asked for.
    struct AskedPush: Decodable {
        let position: Int64
        let push: PushAnswer
    }

    let decisions: [Decision]
    let askedPush: AskedPush?
    /// Nil from a server of an older release.
    var hasDispatcher: Bool?

    /// What came of a push, once it is known: somebody may have asked for another one since.
    func push(askedAt position: Int64) -> PushAnswer? {
        askedPush.flatMap { $0.position >= position ? $0.push : nil }
    }

    /// The decision about a position or a later one: the first to push, or else the first, to wait for instance.
    func decision(since position: Int64) -> Decision? {
        let decisions = decisions.filter { $0.position >= position }
        return decisions.first { $0.answer != nil } ?? decisions.first
    }
}
