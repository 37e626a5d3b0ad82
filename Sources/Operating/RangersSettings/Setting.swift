/// The settings, named as in the environment and in configuration files.
public enum Setting: String, CaseIterable, Sendable {
    case databaseURL = "RANGERS_DATABASE_URL"
    case databasePooler = "RANGERS_DATABASE_POOLER"
    case httpHost = "RANGERS_HTTP_HOST"
    case httpPort = "RANGERS_HTTP_PORT"
    case httpHeaderTimeout = "RANGERS_HTTP_HEADER_TIMEOUT"
    case httpBodyTimeout = "RANGERS_HTTP_BODY_TIMEOUT"
    case httpRequestTimeout = "RANGERS_HTTP_REQUEST_TIMEOUT"
    case httpSendTimeout = "RANGERS_HTTP_SEND_TIMEOUT"
    case httpIdleTimeout = "RANGERS_HTTP_IDLE_TIMEOUT"
    case httpConnections = "RANGERS_HTTP_CONNECTIONS"
    case httpStopDelay = "RANGERS_HTTP_STOP_DELAY"
    case tlsCertificateFile = "RANGERS_TLS_CERTIFICATE_FILE"
    case tlsKeyFile = "RANGERS_TLS_KEY_FILE"
    case adminHost = "RANGERS_ADMIN_HOST"
    case adminPort = "RANGERS_ADMIN_PORT"
    case metricsHost = "RANGERS_METRICS_HOST"
    case metricsPort = "RANGERS_METRICS_PORT"
    case logLevel = "RANGERS_LOG_LEVEL"
    case logFormat = "RANGERS_LOG_FORMAT"
    case roles = "RANGERS_ROLES"

    case apnsEnvironment = "RANGERS_APNS_ENVIRONMENT"
    case apnsHost = "RANGERS_APNS_HOST"
    case apnsPort = "RANGERS_APNS_PORT"
    case apnsChannelsPort = "RANGERS_APNS_CHANNELS_PORT"
    case apnsCertificateAuthorityFile = "RANGERS_APNS_CA_FILE"
    case apnsKeyFile = "RANGERS_APNS_KEY_FILE"
    case apnsKeyID = "RANGERS_APNS_KEY_ID"
    case apnsSandboxKeyFile = "RANGERS_APNS_SANDBOX_KEY_FILE"
    case apnsSandboxKeyID = "RANGERS_APNS_SANDBOX_KEY_ID"
    case apnsTeamID = "RANGERS_APNS_TEAM_ID"
    case apnsBundleID = "RANGERS_APNS_BUNDLE_ID"

    case appleKeys = "RANGERS_APPLE_KEYS"
    case appleBundleIDs = "RANGERS_APPLE_BUNDLE_IDS"

    case journeyTick = "RANGERS_JOURNEY_TICK"
    case bossTurn = "RANGERS_BOSS_TURN"
    case keepEnded = "RANGERS_KEEP_ENDED"
    case keepOutlines = "RANGERS_KEEP_OUTLINES"

    case limitTokenRate = "RANGERS_LIMIT_TOKEN_RATE"
    case limitTokenBurst = "RANGERS_LIMIT_TOKEN_BURST"
    case limitAddressRate = "RANGERS_LIMIT_ADDRESS_RATE"
    case limitAddressBurst = "RANGERS_LIMIT_ADDRESS_BURST"
    case limitRegistrationRate = "RANGERS_LIMIT_REGISTRATION_RATE"
    case limitRegistrationBurst = "RANGERS_LIMIT_REGISTRATION_BURST"
    case limitWrongCodeRate = "RANGERS_LIMIT_WRONG_CODE_RATE"
    case limitWrongCodeBurst = "RANGERS_LIMIT_WRONG_CODE_BURST"
    case limitReceiptsRate = "RANGERS_LIMIT_RECEIPTS_RATE"
    case limitReceiptsBurst = "RANGERS_LIMIT_RECEIPTS_BURST"
    case quotaParties = "RANGERS_QUOTA_PARTIES"
    case quotaAdventures = "RANGERS_QUOTA_ADVENTURES"
    case quotaDevices = "RANGERS_QUOTA_DEVICES"
    case quotaActivities = "RANGERS_QUOTA_ACTIVITIES"
    case quotaProfiles = "RANGERS_QUOTA_PROFILES"
    case trustedProxies = "RANGERS_TRUSTED_PROXIES"
    case corsOrigins = "RANGERS_CORS_ORIGINS"

    case frequentTurnSpacing = "RANGERS_CADENCE_FREQUENT_TURN_SPACING"
    case frequentLowSpacing = "RANGERS_CADENCE_FREQUENT_LOW_SPACING"
    case frequentHighCapacity = "RANGERS_CADENCE_FREQUENT_HIGH_CAPACITY"
    case frequentHighRefill = "RANGERS_CADENCE_FREQUENT_HIGH_REFILL"
    case frequentAlertReserve = "RANGERS_CADENCE_FREQUENT_ALERT_RESERVE"
    case frequentStaleAfter = "RANGERS_CADENCE_FREQUENT_STALE_AFTER"
    case frequentJourneyStaleAfter = "RANGERS_CADENCE_FREQUENT_JOURNEY_STALE_AFTER"
    case standardTurnSpacing = "RANGERS_CADENCE_STANDARD_TURN_SPACING"
    case standardLowSpacing = "RANGERS_CADENCE_STANDARD_LOW_SPACING"
    case standardHighCapacity = "RANGERS_CADENCE_STANDARD_HIGH_CAPACITY"
    case standardHighRefill = "RANGERS_CADENCE_STANDARD_HIGH_REFILL"
    case standardAlertReserve = "RANGERS_CADENCE_STANDARD_ALERT_RESERVE"
    case standardStaleAfter = "RANGERS_CADENCE_STANDARD_STALE_AFTER"
    case standardJourneyStaleAfter = "RANGERS_CADENCE_STANDARD_JOURNEY_STALE_AFTER"
    case alertQueueBound = "RANGERS_CADENCE_ALERT_QUEUE_BOUND"
    case alertExpiry = "RANGERS_CADENCE_ALERT_EXPIRY"
    case dismissalAfter = "RANGERS_CADENCE_DISMISSAL_AFTER"
    case endExpiration = "RANGERS_CADENCE_END_EXPIRATION"
    case ageWarningBefore = "RANGERS_CADENCE_AGE_WARNING_BEFORE"
    case ageEndBefore = "RANGERS_CADENCE_AGE_END_BEFORE"
    case startHourlyBudget = "RANGERS_CADENCE_START_HOURLY_BUDGET"
    case startDailyBudget = "RANGERS_CADENCE_START_DAILY_BUDGET"
    case startPartyHourlyBudget = "RANGERS_CADENCE_START_PARTY_HOURLY_BUDGET"
    case startPartyDailyBudget = "RANGERS_CADENCE_START_PARTY_DAILY_BUDGET"
    case startGrace = "RANGERS_CADENCE_START_GRACE"
    case startRegistrationTimeout = "RANGERS_CADENCE_START_REGISTRATION_TIMEOUT"
    case startMaxRequestAge = "RANGERS_CADENCE_START_MAX_REQUEST_AGE"
    case startExpiration = "RANGERS_CADENCE_START_EXPIRATION"
    case startSameAdventureSpacing = "RANGERS_CADENCE_START_SAME_ADVENTURE_SPACING"
    case raidStartDelay = "RANGERS_CADENCE_RAID_START_DELAY"
    case raidStartSpacing = "RANGERS_CADENCE_RAID_START_SPACING"
    case raidStartMaxRequestAge = "RANGERS_CADENCE_RAID_START_MAX_REQUEST_AGE"
    case widgetSpacing = "RANGERS_CADENCE_WIDGET_SPACING"
    case fallbackHourlyBudget = "RANGERS_CADENCE_FALLBACK_HOURLY_BUDGET"

    /// The prefix of every name.
    public static let prefix = "RANGERS_"

    /// Names in the environment that belong to other programs and scripts of this project.
    static let namesOfOtherPrograms: Set<String> = [
        "RANGERS_BUILD", "RANGERS_OPERATOR_TOKEN", "RANGERS_SERVER", "RANGERS_TEST_DATABASE_URL",
    ]

    /// Whether the value must never be printed; a secret can also be read from a file.
    public var isSecret: Bool { self == .databaseURL }

    /// The name of the setting for a secret's file; nil if this setting is not a secret.
    public var nameOfSecretFile: String? { isSecret ? rawValue + "_FILE" : nil }

    /// Every valid name.
    static let names = allCases.flatMap { [$0.rawValue] + ($0.nameOfSecretFile.map { [$0] } ?? []) }
}
