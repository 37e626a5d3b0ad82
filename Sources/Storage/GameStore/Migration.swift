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
    /// The checksums of earlier versions of the file that may be applied.
    ///
    /// Migrations that distribute the schema run after all of ``all``, so an earlier one cannot name a table that a later
    /// release has dropped.
    let formerChecksums: Set<String>

    init(number: Int, name: String, sql: [UInt8], formerChecksums: Set<String> = []) {
        self.number = number
        self.name = name
        self.formerChecksums = formerChecksums
        self.sql = String(decoding: sql, as: UTF8.self)
        self.checksum = SHA256.hex(of: sql)
    }

    /// All schema migrations, in order.
    public static let all: [Migration] = [
        Migration(number: 1, name: "0001_initial", sql: PackageResources._001_initial_sql),
        Migration(number: 2, name: "0002_protections", sql: PackageResources._002_protections_sql),
        Migration(number: 3, name: "0003_devices", sql: PackageResources._003_devices_sql),
        Migration(number: 4, name: "0004_identity", sql: PackageResources._004_identity_sql),
        Migration(number: 5, name: "0005_receipts", sql: PackageResources._005_receipts_sql),
        Migration(number: 6, name: "0006_apple", sql: PackageResources._006_apple_sql),
        Migration(number: 7, name: "0007_alert_preferences", sql: PackageResources._007_alert_preferences_sql),
        Migration(number: 8, name: "0008_progress", sql: PackageResources._008_progress_sql),
        Migration(number: 9, name: "0009_fallback", sql: PackageResources._009_fallback_sql),
        Migration(number: 10, name: "0010_widgets", sql: PackageResources._010_widgets_sql),
        Migration(number: 11, name: "0011_leaderboard_names", sql: PackageResources._011_leaderboard_names_sql),
        Migration(number: 12, name: "0012_channels", sql: PackageResources._012_channels_sql),
        Migration(number: 13, name: "0013_raids", sql: PackageResources._013_raids_sql),
        Migration(number: 14, name: "0014_spectators", sql: PackageResources._014_spectators_sql),
        Migration(number: 15, name: "0015_raid_indexes", sql: PackageResources._015_raid_indexes_sql),
        Migration(number: 16, name: "0016_raid_starts", sql: PackageResources._016_raid_starts_sql),
        Migration(number: 17, name: "0017_player_search", sql: PackageResources._017_player_search_sql),
    ]

    /// The migrations that distribute the schema over a Citus cluster, in order.
    ///
    /// They run after all of ``all`` and are recorded in a table of their own.
    public static let distributed: [Migration] = [
        Migration(
            number: 1,
            name: "distributed/0001_citus",
            sql: PackageResources._001_citus_sql,
            // With the table push_to_start.
            formerChecksums: ["c218febe0c13c65a1da92261ddd8eee400eb6e7f5a43c1c94cb1f2746f76b15d"]
        ),
        Migration(
            number: 2,
            name: "distributed/0002_protections_citus",
            sql: PackageResources._002_protections_citus_sql
        ),
        Migration(
            number: 3,
            name: "distributed/0003_devices_citus",
            sql: PackageResources._003_devices_citus_sql
        ),
        Migration(
            number: 4,
            name: "distributed/0004_identity_citus",
            sql: PackageResources._004_identity_citus_sql
        ),
        Migration(
            number: 5,
            name: "distributed/0005_receipts_citus",
            sql: PackageResources._005_receipts_citus_sql
        ),
        Migration(number: 6, name: "distributed/0006_apple_citus", sql: PackageResources._006_apple_citus_sql),
        Migration(
            number: 7,
            name: "distributed/0007_progress_citus",
            sql: PackageResources._007_progress_citus_sql
        ),
        Migration(
            number: 8,
            name: "distributed/0008_channels_citus",
            sql: PackageResources._008_channels_citus_sql
        ),
        Migration(number: 9, name: "distributed/0009_raids_citus", sql: PackageResources._009_raids_citus_sql),
        Migration(
            number: 10,
            name: "distributed/0010_spectators_citus",
            sql: PackageResources._010_spectators_citus_sql
        ),
    ]
}
