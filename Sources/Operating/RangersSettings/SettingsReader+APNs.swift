import APNsClient

extension SettingsReader {
    /// Reads the settings of APNs as processes with those roles need them.
    ///
    /// A dispatcher needs them all. A process that serves operators uses them to push for those; whether it does, the key
    /// says: it is what makes a process one that can send.
    /// - Returns: nil when they are not needed, or after a problem was noted.
    mutating func apns(for roles: Set<Role>) -> APNsSettings? {
        apns(isNeeded: roles.contains(.dispatcher) || (roles.contains(.api) && isGiven(.apnsKeyFile)))
    }

    /// Reads the settings of APNs.
    ///
    /// What is given must make sense also where this process does not need it: one file may serve all roles.
    /// - Parameter isNeeded: whether what is missing is a problem.
    /// - Returns: nil when they are not needed, or after a problem was noted.
    mutating func apns(isNeeded: Bool) -> APNsSettings? {
        let environments = need(
            .apnsEnvironment,
            isNeeded,
            because: "production, sandbox or simulator?",
            as: SettingValue.environments
        )
        let host = optional(.apnsHost, as: SettingValue.host)
        let port = optional(.apnsPort, as: SettingValue.number(1...65_535))
        let authority = need(
            .apnsCertificateAuthorityFile,
            isNeeded && environments == [.simulator],
            because: "the simulator's authority is in no system's store; set it to the file that the simulator wrote",
            as: SettingValue.path
        )
        let key = providerKey(.apnsKeyFile, .apnsKeyID, isNeeded: isNeeded)
        let isSandboxKeyGiven = isGiven(.apnsSandboxKeyFile) || isGiven(.apnsSandboxKeyID)
        let sandboxKey = providerKey(
            .apnsSandboxKeyFile,
            .apnsSandboxKeyID,
            isNeeded: isNeeded && isSandboxKeyGiven
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
        check(environments ?? [], isElsewhere: host != nil || port != nil)
        guard isNeeded, let environments, let key, let teamID, let bundleID else { return nil }
        return APNsSettings(
            routes: environments.map { environment in
                let key = environment == .sandbox ? sandboxKey ?? key : key
                return APNsSettings.Route(environment: environment, key: key(teamID))
            },
            host: host,
            port: port,
            certificateAuthorityFile: authority,
            bundleID: bundleID
        )
    }

    /// A key's file, once its team is known, and its identifier unless the file's name tells it.
    private mutating func providerKey(
        _ file: Setting,
        _ identifier: Setting,
        isNeeded: Bool
    ) -> ((_ teamID: String) -> ProviderKeyFile)? {
        let path = need(
            file,
            isNeeded,
            because: "set it to the provider key, the .p8 file from Apple's developer account",
            as: SettingValue.path
        )
        let isNamed = path.flatMap(ProviderKeyFile.keyID(inNameOf:)) != nil
        let keyID = need(
            identifier,
            isNeeded && !isNamed,
            because: "set it to the provider key's identifier of 10 characters",
            as: SettingValue.appleIdentifier
        )
        return path.map { path in { ProviderKeyFile(setting: file, path: path, keyID: keyID, teamID: $0) } }
    }

    /// A simulator stands for all of APNs, and each of Apple's two is at a place of its own.
    private mutating func check(_ environments: [APNsEnvironment], isElsewhere: Bool) {
        guard environments.count > 1 else { return }
        if environments.contains(.simulator) {
            contradiction("RANGERS_APNS_ENVIRONMENT: a simulator stands alone; production and sandbox go together")
        }
        if isElsewhere {
            contradiction("RANGERS_APNS_HOST and RANGERS_APNS_PORT are for one RANGERS_APNS_ENVIRONMENT, not for two")
        }
    }

    private mutating func need<Value>(
        _ setting: Setting,
        _ isNeeded: Bool,
        because reason: String,
        as make: (String) throws(MalformedValue) -> Value
    ) -> Value? {
        guard isNeeded else { return optional(setting, as: make) }
        let whose = "the role dispatcher needs it, and api where it has a provider key"
        return required(setting, because: "\(reason) (\(whose))", as: make)
    }
}
