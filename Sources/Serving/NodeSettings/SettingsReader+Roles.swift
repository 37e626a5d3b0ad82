import RangersSettings

extension SettingsReader {
    /// Reads the APNs settings as a process with these roles needs them.
    ///
    /// A dispatcher requires them. A process that serves operators requires them if a provider key is set: with one it
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
