import Encodings
import Foundation
import GameCore
import GameLog
import GameStore

/// The result of one check of `GET /admin/v1/doctor`.
public struct DoctorCheck: Encodable, Hashable, Sendable {
    /// The status of a check.
    public enum Status: String, Encodable, Sendable, CaseIterable {
        /// The check succeeded.
        case ok
        /// The check failed: follow the remedy.
        case failed
        /// The check could not run.
        case skipped
    }

    /// The name of the check, such as `database`.
    public let name: String
    /// The status.
    public let status: Status
    /// The finding: one sentence.
    public let finding: String
    /// The remedy; nil if none is necessary.
    public let remedy: String?

    /// Creates a result.
    public init(_ name: String, _ status: Status, _ finding: String, remedy: String? = nil) {
        self.name = name
        self.status = status
        self.finding = finding
        self.remedy = remedy
    }
}

extension DoctorCheck {
    /// Returns the failed check of a database that does not respond.
    fileprivate static func unreachableDatabase(_ error: any Error) -> Self {
        Self(
            "database",
            .failed,
            "It does not respond: \(sentence(error))",
            remedy: """
                Check that PostgreSQL is running, and that this node reaches it with RANGERS_DATABASE_URL. The node reconnects \
                automatically.
                """
        )
    }

    /// Returns the result of a check that failed to run.
    static func failure(_ name: String, _ error: any Error) -> Self {
        if DatabaseFailure(error) == .missingTable {
            let finding = "Tables are missing: \(sentence(error))"
            return Self(name, .failed, finding, remedy: "Run 'rangersd migrate'.")
        }
        return Self(
            name,
            .failed,
            "The check failed to run: \(sentence(error))",
            remedy: "Fix the database as the other checks say, or look at the node's log; then run the check again."
        )
    }

    /// The result of the APNs check on a node without a provider key.
    ///
    /// The check counts as failed, because it could not reach APNs.
    static let noProviderKey = Self(
        "APNs",
        .failed,
        "Not checked: this node has no provider key.",
        remedy: """
            Ask a node that has one, or give this node RANGERS_APNS_KEY_FILE and the other APNs settings. A node with only the \
            role api uses them just for this check and for 'push test'.
            """
    )

    /// The largest acceptable difference of clocks: turns and timestamps have whole seconds.
    static let toleratedClockDifference = Duration.seconds(2)
    /// The longest acceptable delay of a push: twenty times the default spacing for a device without frequent pushes.
    static let toleratedUnsentAge = Duration.seconds(10 * 60)
    /// The longest acceptable age of a pending erasure: half an hour of attempts.
    static let toleratedErasureAge = Duration.seconds(30 * 60)
    /// The largest acceptable share of connections in use.
    static let toleratedConnectionShare = 0.9

    /// Checks the schema.
    static func database(_ report: MigrationReport, version: String, took: Duration) -> Self {
        let milliseconds = took.wholeMicroseconds / 1_000
        if let edited = report.edited.first {
            return Self(
                "database",
                .failed,
                "Migration \(edited.name) was edited after it was applied.",
                remedy: "Run the release that migrated the database; see 'rangersd migrate --check'."
            )
        }
        if let pending = report.pending.first {
            return Self("database", .failed, "Migration \(pending.name) is pending.", remedy: "Run 'rangersd migrate'.")
        }
        // A newer schema is acceptable: nodes are upgraded one after another.
        let newer = report.unknown.isEmpty ? "" : ", and so are some of a newer release"
        let count = report.applied.count
        let applied = count == 1 ? "1 migration is" : "\(count) migrations are"
        return Self(
            "database",
            .ok,
            "PostgreSQL \(version) responds within \(milliseconds) ms; \(applied) applied\(newer)."
        )
    }

    /// Compares two clocks: `other` was read between `before` and `after` of this node's clock.
    static func clock(_ name: String, other: Timestamp, before: Timestamp, after: Timestamp) -> Self {
        let middle = before + (after - before) / 2
        let difference = middle - other
        // The round-trip time is an uncertainty of the comparison.
        let certain = max(.zero, (difference < .zero ? .zero - difference : difference) - (after - before) / 2)
        let text = Self.text(difference < .zero ? .zero - difference : difference)
        guard certain > toleratedClockDifference else { return Self(name, .ok, "The clocks differ by \(text).") }
        let direction = difference < .zero ? "behind" : "ahead of"
        return Self(
            name,
            .failed,
            "This node's clock is \(text) \(direction) the database's.",
            remedy: """
                Synchronize both clocks by NTP. The game follows the database's clock, but APNs refuses the provider tokens of a \
                node whose clock is wrong, and tokens and stored data expire by it.
                """
        )
    }

    /// Checks the connections in use against the tightest limit.
    /// - Parameter limits: the usage of each limit, at least one.
    /// - Returns: the result of the check.
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
        return Self(name, .failed, finding, remedy: "\(raise), use a connection pooler, or run fewer nodes.")
    }

    /// Checks that this release knows all that the shards need.
    static func shards(_ heads: [ShardHead]) -> Self {
        let newer = heads.filter { !$0.isSupported }
        guard let first = newer.first else {
            return Self("shards", .ok, "This release can play all \(heads.count) shards.")
        }
        return Self(
            "shards",
            .failed,
            "\(newer.count) of \(heads.count) shards, such as \(first.shard.rawValue), need a newer release than this node's.",
            remedy:
                "Upgrade this node: it plays and shows nothing of those shards, which nodes of the newer release serve."
        )
    }

    /// Checks that the database's clock was not set back behind the clocks of shards.
    static func shardClocks(_ heads: [ShardHead], at databaseClock: Timestamp) -> Self {
        let name = "shard clocks"
        let setbacks = heads.compactMap { $0.setback(of: databaseClock) }
        guard let longest = setbacks.max() else {
            return Self(name, .ok, "The database's clock is not behind that of a shard.")
        }
        return Self(
            name,
            .failed,
            "The database's clock was set back: it is up to \(text(longest)) behind those of \(setbacks.count) shards.",
            remedy: """
                The games of these shards stand still until it has caught up. If it is wrong, correct it; if it was wrong before, \
                wait, or set it ahead again and let NTP slew it.
                """
        )
    }

    /// Checks that the database has not lost commits in the last day.
    static func lostCommits(_ found: (shards: Int, lost: LostCommits)?) -> Self {
        let name = "lost commits"
        guard let found else { return Self(name, .ok, "No commits were found lost in the last day.") }
        return Self(
            name,
            .failed,
            """
            In the last day the database has lost commits of \(found.shards) shards: at least \(found.lost.entries) log entries, \
            and up to \(text(found.lost.time)) of games.
            """,
            remedy: """
                Players may miss what they did, and nodes have corrected phones. If a failover to a standby did this, use \
                synchronous replication.
                """
        )
    }

    /// The maximum number of unplayable adventures in a finding.
    static let maxAdventures = 5

    /// Checks that no adventure is known to be unplayable.
    static func adventures(_ faulty: [(id: AdventureID, reason: String)]) -> Self {
        guard !faulty.isEmpty else { return Self("adventures", .ok, "No adventure is known to be unplayable.") }
        return Self(
            "adventures",
            .failed,
            faulty.map { "Adventure \($0.id) cannot be played: \(sentence($0.reason))" }.joined(separator: " "),
            remedy: """
                If a newer release has written it, upgrade the nodes: they try again within ten minutes. Otherwise \
                'rangersctl adventure end' ends it without experience for its heroes, so that the party can go on. One \
                that has ended holds up nothing: report it.
                """
        )
    }

    /// Checks that dispatchers hold the leases of all shards.
    /// - Parameters:
    ///   - present: the number of present dispatchers.
    ///   - held: the number of leased shards.
    ///   - holders: the number of dispatchers with leases.
    ///   - shards: the number of all shards.
    /// - Returns: the result of the check.
    static func dispatchers(present: Int, held: Int, holders: Int, shards: Int) -> Self {
        let name = "dispatchers"
        guard held < shards else {
            return Self(name, .ok, "\(held) of \(shards) shards are leased, by \(counted(holders)).")
        }
        let free = "\(shards - held) of \(shards) shards have no dispatcher."
        guard present > 0 else {
            return Self(
                name,
                .failed,
                "No dispatcher is running, and \(free)",
                remedy: """
                    Start a rangersd with the role dispatcher: it takes all shards within seconds. If one is running, its log says \
                    why it does not reach the database.
                    """
            )
        }
        return Self(
            name,
            .failed,
            "\(counted(present)) \(present == 1 ? "is" : "are") running, and \(free)",
            remedy: """
                Check again in a few seconds: after a dispatcher starts or stops, shards are free for so long. If they stay \
                free, the dispatchers' logs say why they cannot take or keep them, such as a slow database.
                """
        )
    }

    private static func counted(_ dispatchers: Int) -> String {
        dispatchers == 1 ? "1 dispatcher" : "\(dispatchers) dispatchers"
    }

    /// Checks the age of the oldest pending change.
    static func unsent(_ unsent: UnsentChange?, at now: Timestamp) -> Self {
        guard let unsent else { return Self("unsent changes", .ok, "No changes are pending.") }
        let age = max(.zero, now - unsent.at)
        let location = "in shard \(unsent.shard.rawValue)"
        let finding = "The oldest change that no dispatcher has sent or dropped is \(text(age)) old, \(location)."
        guard age > toleratedUnsentAge else { return Self("unsent changes", .ok, finding) }
        return Self(
            "unsent changes",
            .failed,
            finding,
            remedy: """
                See the checks of dispatchers and APNs; 'rangersctl activity explain' shows what an activity is waiting for.
                """
        )
    }

    /// Checks the age of the oldest pending erasure of a player.
    static func erasures(oldest: Timestamp?, at now: Timestamp) -> Self {
        guard let oldest else { return Self("erasures", .ok, "No erasure of a player is pending.") }
        let age = max(.zero, now - oldest)
        let finding = "The oldest pending erasure of a player was requested \(text(age)) ago."
        guard age > toleratedErasureAge else { return Self("erasures", .ok, finding) }
        return Self(
            "erasures",
            .failed,
            finding,
            remedy: """
                Nodes with the role engine complete erasures every minute, and log why one fails: "erasures could not be \
                completed". Check that such a node is running, and fix what its log names.
                """
        )
    }

    /// Checks that this node sends to the APNs environments of all live activities.
    /// - Parameters:
    ///   - live: the number of live activities for each environment.
    ///   - served: the environments that this node sends to; empty without a provider key.
    /// - Returns: the result of the check.
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
                Add \(other) to RANGERS_APNS_ENVIRONMENT, or find the build of the app that registers such tokens.
                """
        )
    }

    /// Returns an error's description on one line, with a final full stop.
    ///
    /// Messages of libpq can have several lines.
    static func sentence(_ error: any Error) -> String { sentence("\(error)") }

    private static func sentence(_ text: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
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
    /// Returns the results for a database that does not respond: the failed check, and the skipped ones.
    static func unreachableDatabase(_ error: any Error) -> Self {
        let skipped = [
            "clock", "database connections", "database sessions", "shards", "shard clocks", "lost commits",
            "adventures", "dispatchers", "unsent changes", "shown pushes", "erasures", "environments",
            "database machines", "raids",
        ]
        return [.unreachableDatabase(error)]
            + skipped.map { name in
                DoctorCheck(
                    name,
                    .skipped,
                    "Not checked: the database does not respond.",
                    remedy: "Fix the database as its check says, then check again."
                )
            }
    }
}
