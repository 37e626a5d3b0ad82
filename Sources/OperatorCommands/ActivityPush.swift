import ArgumentParser
import Foundation
import RangersCommandLine

/// Has an activity pushed, and waits for what came of it.
struct ActivityPush {
    /// What is decided is written every ten seconds; so long again may the push take.
    private static let patience = Duration.seconds(30)
    private static let interval = Duration.seconds(1)

    let activity: String
    let json: Bool
    let client: OperatorClient
    let key: IdempotencyKey

    /// The answer to `POST /admin/v1/activities/{activityID}/pushes`.
    private struct Asked: Decodable {
        let position: Int64
    }

    func run() async throws {
        let body = try await client.change("activities", activity, "pushes", key: key)
        let position = try client.decode(Asked.self, from: body).position
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            let decisions = try await Perseverance(say: StandardError.print).run(after: \.mayPass) {
                () throws(OperatorClientError) in
                let body = try await client.get("activities", activity, "decisions")
                return try client.decode(PushDecisions.self, from: body)
            }
            if let decision = decisions.answer(to: position) {
                try show(decision)
                guard decision.answer == "accepted" else { throw ExitCode.failure }
                return
            }
            try await Task.sleep(for: Self.interval)
        }
        StandardError.print(
            "It is asked for (position \(position)), and nothing was heard of it; 'rangersctl activity explain' tells more."
        )
        throw ExitCode.failure
    }

    private func show(_ decision: PushDecisions.Decision) throws {
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(decision), as: UTF8.self))
        } else {
            print(Printable.text("\(decision.happened). \(decision.decided)\(decision.why.map { " – \($0)" } ?? "")."))
        }
    }
}

/// The answer to `GET /admin/v1/activities/{activityID}/decisions`, as far as it tells of pushes.
struct PushDecisions: Decodable {
    struct Decision: Codable, Hashable {
        let at: String
        let position: Int64
        let decision: String
        let answer: String?
        let happened: String
        let decided: String
        let why: String?
    }

    let decisions: [Decision]

    /// The first push at a position or a later one whose answer is known.
    func answer(to position: Int64) -> Decision? {
        decisions.first { $0.position >= position && $0.answer != nil }
    }
}
