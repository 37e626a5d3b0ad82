import RangersSettings

extension SettingsReader {
    /// Reads the APNs settings for a process with certain roles.
    ///
    /// A dispatcher requires them. A process with the role `api` requires them if a provider key is set, since it then
    /// sends test pushes for operators.
    /// - Parameter roles: the roles of the process.
    /// - Returns: the settings; nil if they are not required, or after recording a problem.
    mutating func apns(for roles: Set<Role>) -> APNsSettings? {
        apns(isRequired: roles.contains(.dispatcher) || (roles.contains(.api) && isSet(.apnsKeyFile)))
    }
}

extension SettingValue {
    /// Parses roles separated by commas.
    static func roles(_ text: String) throws(MalformedValue) -> Set<Role> {
        Set(try names(Role.self, in: text))
    }
}
