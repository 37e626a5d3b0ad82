import Cryptography

/// A numbered SQL file of `Migrations/`, embedded in the binary.
public struct Migration: Sendable, Hashable {
    /// The number: 1 and up, without gaps.
    public let number: Int
    /// The file name without extension, such as `0001_initial`; with its folder for distribution:
    /// `distributed/0001_citus`.
    public let name: String
    /// SHA-256 of the file in hexadecimal, which detects edits of applied migrations.
    public let checksum: String
    let sql: String

    init(number: Int, name: String, sql: [UInt8]) {
        self.number = number
        self.name = name
        self.sql = String(decoding: sql, as: UTF8.self)
        self.checksum = SHA256.hex(of: sql)
    }

    /// All schema migrations, in order.
    public static let all: [Migration] = [
        Migration(number: 1, name: "0001_initial", sql: PackageResources._001_initial_sql),
        Migration(number: 2, name: "0002_experience", sql: PackageResources._002_experience_sql),
        Migration(number: 3, name: "0003_push_to_start", sql: PackageResources._003_push_to_start_sql),
        Migration(number: 4, name: "0004_decisions", sql: PackageResources._004_decisions_sql),
        Migration(number: 5, name: "0005_kept_answers", sql: PackageResources._005_kept_answers_sql),
        Migration(
            number: 6,
            name: "0006_tokens_and_erasures",
            sql: PackageResources._006_tokens_and_erasures_sql
        ),
        Migration(number: 7, name: "0007_claimed_places", sql: PackageResources._007_claimed_places_sql),
        Migration(number: 8, name: "0008_audit", sql: PackageResources._008_audit_sql),
        Migration(number: 9, name: "0009_campaigns", sql: PackageResources._009_campaigns_sql),
        Migration(number: 10, name: "0010_campaign_runs", sql: PackageResources._010_campaign_runs_sql),
        Migration(number: 11, name: "0011_asked_pushes", sql: PackageResources._011_asked_pushes_sql),
        Migration(number: 12, name: "0012_retention", sql: PackageResources._012_retention_sql),
        Migration(number: 13, name: "0013_places_of_players", sql: PackageResources._013_places_of_players_sql),
        Migration(number: 14, name: "0014_dispatchers", sql: PackageResources._014_dispatchers_sql),
        Migration(number: 15, name: "0015_decision_bytes", sql: PackageResources._015_decision_bytes_sql),
        Migration(
            number: 16,
            name: "0016_environments_of_dispatchers",
            sql: PackageResources._016_environments_of_dispatchers_sql
        ),
    ]

    /// The migrations that distribute the schema over a Citus cluster, in order.
    ///
    /// They run after all of ``all`` and are recorded in a table of their own.
    public static let distributed: [Migration] = [
        Migration(number: 1, name: "distributed/0001_citus", sql: PackageResources._001_citus_sql)
    ]
}
