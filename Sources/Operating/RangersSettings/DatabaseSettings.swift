/// What stands between a program and the database.
public enum DatabasePooler: String, CaseIterable, Sendable {
    /// Nothing, or a pooler that gives each client a session of its own.
    case none
    /// A pooler that gives a client another of the server's sessions for each transaction: statements cannot be prepared
    /// once and run often.
    case transaction
}

/// What a command needs that works on the database and does nothing else.
public struct DatabaseSettings: Sendable {
    /// The database, as a libpq URI; it may hold a password.
    public let url: Secret
    /// What stands before it.
    public let pooler: DatabasePooler

    /// Reads the settings.
    ///
    /// Names are checked in all of the sources; values only of what is used here.
    /// - Throws: ``SettingsError`` with everything that is wrong.
    public init(from sources: SettingsSources) throws(SettingsError) {
        var reader = SettingsReader(sources)
        let settings = reader.database()
        guard let settings, reader.problems.isEmpty else { throw reader.error }
        self = settings
    }

    fileprivate init(url: Secret, pooler: DatabasePooler) {
        self.url = url
        self.pooler = pooler
    }
}

extension SettingsReader {
    mutating func database() -> DatabaseSettings? {
        let url = required(
            .databaseURL,
            because: "which PostgreSQL database? Set it to a URI like postgresql://user@host/name, "
                + "or set RANGERS_DATABASE_URL_FILE to a file that holds one",
            as: SettingValue.databaseURL
        )
        let pooler = value(
            .databasePooler,
            default: DatabasePooler.none,
            as: SettingValue.name(DatabasePooler.self)
        )
        return url.map { DatabaseSettings(url: $0, pooler: pooler) }
    }
}
