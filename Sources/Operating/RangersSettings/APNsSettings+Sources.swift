extension APNsSettings {
    /// Reads the settings of APNs and no others: for who sends without being a server.
    ///
    /// Names that are no settings are problems here, too.
    /// - Throws: ``SettingsError`` with everything that is wrong.
    public init(from sources: SettingsSources) throws(SettingsError) {
        var reader = SettingsReader(sources)
        guard let settings = reader.apns(isNeeded: true), reader.problems.isEmpty else { throw reader.error }
        self = settings
    }
}
