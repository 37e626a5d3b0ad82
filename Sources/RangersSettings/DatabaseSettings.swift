/// What a command needs that works on the database and does nothing else.
public struct DatabaseSettings: Sendable {
    /// The database, as a libpq URI; it may hold a password.
    public let url: Secret

    /// Reads the settings.
    ///
    /// Names are checked in all of the sources; values only of what is used here.
    /// - Throws: ``SettingsError`` with everything that is wrong.
    public init(from sources: SettingsSources) throws(SettingsError) {
        var reader = SettingsReader(sources)
        let url = reader.databaseURL()
        guard let url, reader.problems.isEmpty else { throw reader.error }
        self.url = url
    }
}

extension SettingsReader {
    mutating func databaseURL() -> Secret? {
        required(
            .databaseURL,
            because: "which PostgreSQL database? Set it to a URI like postgresql://user@host/name, "
                + "or set RANGERS_DATABASE_URL_FILE to a file that holds one",
            as: SettingValue.databaseURL
        )
    }
}
