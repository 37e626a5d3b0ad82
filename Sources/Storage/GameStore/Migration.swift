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
        Migration(number: 2, name: "0002_protections", sql: PackageResources._002_protections_sql),
    ]

    /// The migrations that distribute the schema over a Citus cluster, in order.
    ///
    /// They run after all of ``all`` and are recorded in a table of their own.
    public static let distributed: [Migration] = [
        Migration(number: 1, name: "distributed/0001_citus", sql: PackageResources._001_citus_sql),
        Migration(
            number: 2,
            name: "distributed/0002_protections_citus",
            sql: PackageResources._002_protections_citus_sql
        ),
    ]
}
