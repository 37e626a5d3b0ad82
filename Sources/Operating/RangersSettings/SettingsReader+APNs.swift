import APNsClient

extension SettingsReader {
    /// Reads the APNs settings.
    ///
    /// A value must be valid even if this process does not use it, because processes with different roles may share one
    /// configuration file.
    /// - Parameter isRequired: whether a missing setting is a problem.
    /// - Returns: the settings; nil if they are not required, or after recording a problem.
    package mutating func apns(isRequired: Bool) -> APNsSettings? {
        let environments = read(
            .apnsEnvironment,
            isRequired,
            because: "set it to production, sandbox or simulator",
            as: SettingValue.environments
        )
        let host = optional(.apnsHost, as: SettingValue.host)
        let port = optional(.apnsPort, as: SettingValue.number(1...65_535))
        let channelsPort = optional(.apnsChannelsPort, as: SettingValue.number(1...65_535))
        let authority = read(
            .apnsCertificateAuthorityFile,
            isRequired && environments == [.simulator],
            because:
                "no system trusts the simulator's certificate authority; set it to the file that the simulator wrote",
            as: SettingValue.path
        )
        let key = providerKey(.apnsKeyFile, .apnsKeyID, isRequired: isRequired)
        let isSandboxKeySet = isSet(.apnsSandboxKeyFile) || isSet(.apnsSandboxKeyID)
        let sandboxKey = providerKey(
            .apnsSandboxKeyFile,
            .apnsSandboxKeyID,
            isRequired: isRequired && isSandboxKeySet
        )
        let teamID = read(
            .apnsTeamID,
            isRequired,
            because: "set it to the developer team's identifier of 10 characters",
            as: SettingValue.appleIdentifier
        )
        let bundleID = read(
            .apnsBundleID,
            isRequired,
            because: "set it to the bundle identifier of the app that receives the pushes",
            as: SettingValue.bundleID
        )
        check(environments ?? [], hasOwnEndpoint: host != nil || port != nil || channelsPort != nil)
        guard isRequired, let environments, let key, let teamID, let bundleID else { return nil }
        return APNsSettings(
            environmentKeys: environments.map { environment in
                let key = environment == .sandbox ? sandboxKey ?? key : key
                return APNsSettings.EnvironmentKey(environment: environment, key: key(teamID))
            },
            host: host,
            port: port,
            channelsPort: channelsPort,
            certificateAuthorityFile: authority,
            bundleID: bundleID
        )
    }

    /// Reads the settings of a provider key; the key's identifier is optional if the file name contains it.
    /// - Returns: a function that makes the key file for a team, or nil after recording a problem.
    private mutating func providerKey(
        _ file: Setting,
        _ identifier: Setting,
        isRequired: Bool
    ) -> ((_ teamID: String) -> ProviderKeyFile)? {
        let path = read(
            file,
            isRequired,
            because: "set it to the provider key, the .p8 file from Apple's developer account",
            as: SettingValue.path
        )
        let isNamed = path.flatMap(ProviderKeyFile.keyID(inNameOf:)) != nil
        let keyID = read(
            identifier,
            isRequired && !isNamed,
            because: "set it to the provider key's identifier of 10 characters",
            as: SettingValue.appleIdentifier
        )
        return path.map { path in { ProviderKeyFile(setting: file, path: path, keyID: keyID, teamID: $0) } }
    }

    /// Checks a list of environments: a simulator replaces both of Apple's, and each of Apple's has an endpoint of its
    /// own.
    private mutating func check(_ environments: [APNsEnvironment], hasOwnEndpoint: Bool) {
        guard environments.count > 1 else { return }
        if environments.contains(.simulator) {
            contradiction("RANGERS_APNS_ENVIRONMENT: simulator cannot be combined with another environment")
        }
        if hasOwnEndpoint {
            contradiction(
                "RANGERS_APNS_HOST, RANGERS_APNS_PORT and RANGERS_APNS_CHANNELS_PORT take one RANGERS_APNS_ENVIRONMENT, not two"
            )
        }
    }

    private mutating func read<Value>(
        _ setting: Setting,
        _ isRequired: Bool,
        because reason: String,
        as parse: (String) throws(MalformedValue) -> Value
    ) -> Value? {
        guard isRequired else { return optional(setting, as: parse) }
        let roles = "the role dispatcher needs it, and so does api with a provider key"
        return required(setting, because: "\(reason) (\(roles))", as: parse)
    }
}
