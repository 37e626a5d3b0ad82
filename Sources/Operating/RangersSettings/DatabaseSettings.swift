/// The kind of connection pooler between a program and the database.
public enum DatabasePooler: String, CaseIterable, Sendable {
    /// No pooler, or one in session mode: each client has a server session of its own.
    case none
    /// A pooler in transaction mode: each transaction may run in another server session, so statements cannot be
    /// prepared once and reused.
    case transaction
}

/// The settings of a command that uses the database and nothing else.
public struct DatabaseSettings: Sendable {
    /// The libpq URI of the database; it may contain a password.
    public let url: Secret
    /// The connection pooler in front of the database.
    public let pooler: DatabasePooler

    /// Reads only the database settings.
    ///
    /// The names in all sources are checked, but only the values of the database settings.
    /// - Parameter sources: the sources to read.
    /// - Throws: ``SettingsError`` with every problem found.
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
    /// Reads the database settings.
    /// - Returns: the settings, or nil after recording a problem.
    package mutating func database() -> DatabaseSettings? {
        let url = required(
            .databaseURL,
            because: "set it to the URI of a PostgreSQL database, such as postgresql://user@host/name, "
                + "or set RANGERS_DATABASE_URL_FILE to a file that contains one",
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
