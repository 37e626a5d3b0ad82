import APNsClient

extension SettingsReader {
    /// Reads the settings of APNs.
    ///
    /// What is given must make sense also where this process does not need it: one file may serve all roles.
    /// - Parameter isNeeded: whether what is missing is a problem.
    /// - Returns: nil when they are not needed, or after a problem was noted.
    mutating func apns(isNeeded: Bool) -> APNsSettings? {
        let environment = need(
            .apnsEnvironment,
            isNeeded,
            because: "production, sandbox or simulator?",
            as: SettingValue.name(APNsEnvironment.self)
        )
        let host = optional(.apnsHost, as: SettingValue.host)
        let port = optional(.apnsPort, as: SettingValue.number(1...65_535))
        let authority = need(
            .apnsCertificateAuthorityFile,
            isNeeded && environment == .simulator,
            because: "the simulator's authority is in no system's store; set it to the file that the simulator wrote",
            as: SettingValue.path
        )
        let keyFile = need(
            .apnsKeyFile,
            isNeeded,
            because: "set it to the provider key, the .p8 file from Apple's developer account",
            as: SettingValue.path
        )
        let keyID = need(
            .apnsKeyID,
            isNeeded,
            because: "set it to the provider key's identifier of 10 characters",
            as: SettingValue.appleIdentifier
        )
        let teamID = need(
            .apnsTeamID,
            isNeeded,
            because: "set it to the developer team's identifier of 10 characters",
            as: SettingValue.appleIdentifier
        )
        let bundleID = need(
            .apnsBundleID,
            isNeeded,
            because: "set it to the bundle identifier of the app that is pushed to",
            as: SettingValue.bundleID
        )
        guard isNeeded, let environment, let keyFile, let keyID, let teamID, let bundleID else { return nil }
        return APNsSettings(
            environment: environment,
            host: host,
            port: port,
            certificateAuthorityFile: authority,
            keyFile: keyFile,
            keyID: keyID,
            teamID: teamID,
            bundleID: bundleID
        )
    }

    private mutating func need<Value>(
        _ setting: Setting,
        _ isNeeded: Bool,
        because reason: String,
        as make: (String) throws(MalformedValue) -> Value
    ) -> Value? {
        guard isNeeded else { return optional(setting, as: make) }
        return required(setting, because: "\(reason) (only the role dispatcher needs it)", as: make)
    }
}
