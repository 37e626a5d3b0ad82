/// An operator in a list, without the token.
public struct OperatorEntry: Codable, Sendable {
    private let name: String
    private let role: String
    private let createdAt: String
    private let expiresAt: String?
    private let isExpired: Bool
    private let revokedAt: String?

    /// Creates an entry.
    /// - Parameters:
    ///   - name: the name.
    ///   - role: the role.
    ///   - createdAt: the time at which the operator got the token, like all times in RFC 3339 and UTC.
    ///   - expiresAt: the time at which the token expires; nil for never.
    ///   - isExpired: whether the token has expired.
    ///   - revokedAt: the time at which the token was revoked; nil if it was not.
    public init(
        name: String,
        role: String,
        createdAt: String,
        expiresAt: String?,
        isExpired: Bool,
        revokedAt: String?
    ) {
        self.name = name
        self.role = role
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.isExpired = isExpired
        self.revokedAt = revokedAt
    }

    /// Returns a table of entries.
    public static func table(_ entries: [Self]) -> Table {
        Table(
            [.whole("NAME"), .init("ROLE"), .whole("CREATED"), .whole("EXPIRES"), .whole("REVOKED")],
            rows: entries.map { entry in
                [
                    entry.name, entry.role, text(entry.createdAt),
                    entry.expiresAt.map { text($0) + (entry.isExpired ? " (expired)" : "") } ?? "never",
                    entry.revokedAt.map(text) ?? "",
                ]
            }
        )
    }

    /// Returns a time to the second, such as `2026-01-02 03:04:05`; another text is returned as it is.
    private static func text(_ time: String) -> String {
        let match = time.wholeMatch(of: /(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z/)
        return match.map { "\($0.output.1) \($0.output.2)" } ?? time
    }
}
