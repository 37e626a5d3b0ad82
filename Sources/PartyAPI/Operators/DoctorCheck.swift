import Foundation
import GameCore
import GameStore

/// One line of `GET /admin/v1/doctor`: something was looked at, and is in order or is not.
public struct DoctorCheck: Encodable, Hashable, Sendable {
    /// How it is.
    public enum Status: String, Encodable, Sendable, CaseIterable {
        /// Nothing has to be done.
        case ok
        /// Something has to be done.
        case failed
        /// It could not be looked at here.
        case skipped
    }

    /// What was looked at, such as `database`.
    public let name: String
    /// How it is.
    public let status: Status
    /// What was found: one sentence.
    public let finding: String
    /// What to do; nil when nothing has to be.
    public let remedy: String?

    /// A line.
    public init(_ name: String, _ status: Status, _ finding: String, remedy: String? = nil) {
        self.name = name
        self.status = status
        self.finding = finding
        self.remedy = remedy
    }
}

extension DoctorCheck {
    /// So much may clocks differ: turns and timestamps are in whole seconds, and nothing in the game is shorter.
    static let toleratedClockDifference = Duration.seconds(2)
    /// So long may a change wait: ten times the longest that a phone without frequent pushes waits by default.
    static let toleratedUnsentAge = Duration.seconds(10 * 60)
    /// So much of the server's connections may be in use before somebody else finds none left.
    static let toleratedConnectionShare = 0.9

    /// The schema.
    static func database(_ report: MigrationReport, version: String, took: Duration) -> Self {
        let milliseconds = took.wholeMicroseconds / 1_000
        if let edited = report.edited.first {
            return Self(
                "database",
                .failed,
                "Migration \(edited.name) was edited after it was applied.",
                remedy: "Run the release that the database was migrated with; see 'rangersd migrate --check'."
            )
        }
        if let pending = report.pending.first {
            return Self("database", .failed, "Migration \(pending.name) is pending.", remedy: "Run 'rangersd migrate'.")
        }
        // A newer schema is no fault: nodes are upgraded one after another.
        let newer = report.unknown.isEmpty ? "" : ", and by a newer release's too"
        return Self(
            "database",
            .ok,
            """
            PostgreSQL \(version) answers within \(milliseconds) ms; \(report.applied.count) migrations are applied\(newer).
            """
        )
    }

    /// Two clocks: `other` was asked between `before` and `after` by this node's.
    static func clock(_ name: String, other: Timestamp, before: Timestamp, after: Timestamp) -> Self {
        let middle = before + (after - before) / 2
        let difference = middle - other
        // What may lie in the way there and back is not held against either.
        let certain = max(.zero, (difference < .zero ? .zero - difference : difference) - (after - before) / 2)
        let text = Self.text(difference < .zero ? .zero - difference : difference)
        guard certain > toleratedClockDifference else { return Self(name, .ok, "The clocks differ by \(text).") }
        let direction = difference < .zero ? "behind" : "ahead of"
        return Self(
            name,
            .failed,
            "This node's clock is \(text) \(direction) the database's.",
            remedy: "Set both by NTP: what is due when, and which push is newer, goes by clocks."
        )
    }

    /// How many connections are in use.
    static func connections(open: Int, limit: Int) -> Self {
        let finding = "\(open) of \(limit) connections to the database are in use by the game."
        guard Double(open) > Double(limit) * toleratedConnectionShare else {
            return Self("database connections", .ok, finding)
        }
        return Self(
            "database connections",
            .failed,
            finding,
            remedy: "Raise max_connections, put a pooler in between, or run fewer nodes."
        )
    }

    /// Who sends.
    static func dispatchers(held: Int, holders: Int, shards: Int) -> Self {
        let who = holders == 1 ? "dispatcher" : "dispatchers"
        let finding = "\(held) of \(shards) shards are leased, by \(holders) \(who)."
        guard held < shards else { return Self("dispatchers", .ok, finding) }
        return Self(
            "dispatchers",
            .failed,
            finding,
            remedy: "Start a rangersd with the role dispatcher; one that has just started takes all within seconds."
        )
    }

    /// What the phones have not been told.
    static func unsent(_ unsent: StoreDiagnosis.Unsent?, at now: Timestamp) -> Self {
        guard let unsent else { return Self("unsent changes", .ok, "Every phone has been told everything.") }
        let age = max(.zero, now - unsent.at)
        let place = "in shard \(unsent.shard.rawValue)"
        let finding = "The oldest change that a phone still waits for is \(text(age)) old, \(place)."
        guard age > toleratedUnsentAge else { return Self("unsent changes", .ok, finding) }
        return Self(
            "unsent changes",
            .failed,
            finding,
            remedy: """
                Look at the lines about dispatchers and APNs; 'rangersctl activity explain' says what one phone waits for.
                """
        )
    }

    /// Whether somebody sends to where the phones are; `served` are the environments that this node sends to, none where
    /// it is no dispatcher.
    static func environments(live: [PushEnvironment: Int], served: [PushEnvironment]) -> Self {
        let name = "environments"
        let counts = PushEnvironment.allCases.compactMap { environment in
            live[environment].map { "\($0) of \(environment.rawValue)" }
        }
        let finding =
            counts.isEmpty ? "There are no live activities." : "Live activities: \(counts.joined(separator: ", "))."
        guard !served.isEmpty else {
            let remedy = "Ask one with the role dispatcher."
            return Self(name, .skipped, "\(finding) This node sends no pushes.", remedy: remedy)
        }
        let others = PushEnvironment.allCases.filter { live[$0] != nil && !served.contains($0) }.map(\.rawValue)
        guard let other = others.first else { return Self(name, .ok, finding) }
        return Self(
            name,
            .failed,
            "\(finding) This node does not send to \(others.joined(separator: " and ")).",
            remedy: """
                Add \(other) to RANGERS_APNS_ENVIRONMENT, or find out which build of the app registers such tokens.
                """
        )
    }

    private static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        return switch seconds {
        case ..<1: "\(duration.wholeMicroseconds / 1_000) ms"
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        default: "\(seconds / 3_600) h"
        }
    }
}
