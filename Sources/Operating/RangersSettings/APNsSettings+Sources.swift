extension APNsSettings {
    /// Reads only the APNs settings, for programs that send pushes without being a server.
    ///
    /// An unknown setting name in any source is a problem here, too.
    /// - Parameter sources: the sources to read.
    /// - Throws: ``SettingsError`` with every problem found.
    public init(from sources: SettingsSources) throws(SettingsError) {
        var reader = SettingsReader(sources)
        guard let settings = reader.apns(isRequired: true), reader.problems.isEmpty else { throw reader.error }
        self = settings
    }
}
