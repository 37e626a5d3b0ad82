import Encodings
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
    /// A database that answers nothing at all.
    fileprivate static func unreachableDatabase(_ error: any Error) -> Self {
        Self(
            "database",
            .failed,
            "It does not answer: \(sentence(error))",
            remedy: """
                Is PostgreSQL up, does it do anything, and does this node reach it? RANGERS_DATABASE_URL says where it is and \
                who connects; this node goes on by itself when it is back.
                """
        )
    }

    /// Something that could not be looked at.
    static func failure(_ name: String, _ error: any Error) -> Self {
        if DatabaseFailure(error) == .missingTable {
            let finding = "The database lacks tables: \(sentence(error))"
            return Self(name, .failed, finding, remedy: "Run 'rangersd migrate'.")
        }
        return Self(
            name,
            .failed,
            "It could not be looked at: \(sentence(error))",
            remedy: "Mend what is said of the database, or else look at the node's log; then ask again."
        )
    }

    /// A node with no way to APNs: what was not looked at is not in order.
    static let noRoutes = Self(
        "APNs",
        .failed,
        "It was not looked at: this node has no provider key.",
        remedy: """
            Ask a node that has one, or give this one RANGERS_APNS_KEY_FILE and the other settings of APNs: a node with the \
            role api uses them for this and for 'push test', and for nothing else.
            """
    )

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

    /// How many connections are in use, by the limit that is reached first; there is one at least.
    static func connections(_ limits: [ConnectionUsage]) -> Self {
        let name = "database connections"
        guard let use = limits.max(by: { $0.share < $1.share }) else {
            preconditionFailure("PostgreSQL always has max_connections")
        }
        let finding =
            switch use.scope {
            case .server(reserved: 0):
                "\(use.open) of the server's \(use.limit) connections are in use (max_connections)."
            case .server(let reserved):
                """
                \(use.open) of the \(use.limit) connections that the server leaves to the game's role are in use \
                (max_connections without \(reserved) that it reserves).
                """
            case .role(let role):
                "\(use.open) of \(use.limit) connections of the role \(role) are in use (its CONNECTION LIMIT)."
            case .database(let database):
                "\(use.open) of \(use.limit) connections to the database \(database) are in use (its CONNECTION LIMIT)."
            }
        guard use.share > toleratedConnectionShare else { return Self(name, .ok, finding) }
        let raise =
            switch use.scope {
            case .server: "Raise max_connections"
            case .role: "Raise the role's CONNECTION LIMIT"
            case .database: "Raise the database's CONNECTION LIMIT"
            }
        return Self(name, .failed, finding, remedy: "\(raise), put a pooler in between, or run fewer nodes.")
    }

    /// Who sends: how many dispatchers say that they are there, and how many shards are leased, by how many of them.
    static func dispatchers(present: Int, held: Int, holders: Int, shards: Int) -> Self {
        let name = "dispatchers"
        guard held < shards else {
            return Self(name, .ok, "\(held) of \(shards) shards are leased, by \(counted(holders)).")
        }
        let free = "\(shards - held) of \(shards) shards are nobody's."
        // One that holds shards is there, whatever it says of itself.
        let count = max(present, holders)
        guard count > 0 else {
            return Self(
                name,
                .failed,
                "No dispatcher is there, and \(free)",
                remedy: """
                    Start a rangersd with the role dispatcher: it takes all shards within seconds. Where one runs, its log says \
                    why it does not reach the database.
                    """
            )
        }
        return Self(
            name,
            .failed,
            "\(counted(count)) \(count == 1 ? "is" : "are") there, and \(free)",
            remedy: """
                Ask again in some seconds: one that has just come, or gone, leaves shards free for so long. Where they stay \
                free, the dispatchers' logs say why they cannot take or keep them, such as a database that answers too late.
                """
        )
    }

    private static func counted(_ dispatchers: Int) -> String {
        dispatchers == 1 ? "1 dispatcher" : "\(dispatchers) dispatchers"
    }

    /// What the phones have not been told.
    static func unsent(_ unsent: UnsentChange?, at now: Timestamp) -> Self {
        guard let unsent else { return Self("unsent changes", .ok, "Every phone has been told everything.") }
        let age = max(.zero, now - unsent.at)
        let place = "in shard \(unsent.shard.rawValue)"
        let finding = "The oldest change that no dispatcher has settled is \(text(age)) old, \(place)."
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

    /// Whether somebody sends to where the phones are; `served` are the environments that this node has a key for, none
    /// where it has no way to APNs.
    static func environments(live: [PushEnvironment: Int], served: [PushEnvironment]) -> Self {
        let name = "environments"
        let counts = PushEnvironment.allCases.compactMap { environment in
            live[environment].map { "\($0) of \(environment.rawValue)" }
        }
        let finding =
            counts.isEmpty ? "There are no live activities." : "Live activities: \(counts.joined(separator: ", "))."
        guard !served.isEmpty else {
            return Self(name, .skipped, "\(finding) This node has no provider key to compare them with.")
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

    /// An error's words as the end of a sentence: those of libpq may be several, and some are questions.
    static func sentence(_ error: any Error) -> String {
        let words = "\(error)".split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.last.map { ".?!".contains($0) } == true ? words : words + "."
    }

    static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        return switch seconds {
        case ..<1: "\(duration.wholeMicroseconds / 1_000) ms"
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        default: "\(seconds / 3_600) h"
        }
    }
}

extension [DoctorCheck] {
    /// The lines about a database that answers nothing at all: why, and what was not looked at.
    static func unreachableDatabase(_ error: any Error) -> Self {
        let unseen = [
            "clock", "database connections", "database sessions", "dispatchers", "unsent changes", "environments",
        ]
        return [.unreachableDatabase(error)]
            + unseen.map { name in
                DoctorCheck(
                    name,
                    .skipped,
                    "Not looked at: the database does not answer.",
                    remedy: "Mend what the line about the database says, and ask again."
                )
            }
    }
}
