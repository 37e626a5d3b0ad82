import GameEngine
import HTTPServing
import Logging
import PushCadence
import RangersLogging
public import RangersSettings

extension Setting {
    /// A description of every setting with its default, for `--help`.
    public static let reference: String = {
        let entries = allCases.map { setting in
            let defaultText = setting.defaultText.map { " (\($0))" } ?? ""
            return "  \(setting.rawValue)\(defaultText)\n      \(setting.summary)"
        }
        return entries.joined(separator: "\n")
    }()

    /// A short description.
    var summary: String {
        switch self {
        case .databaseURL: "libpq URI; or set RANGERS_DATABASE_URL_FILE to a file with it"
        case .databasePooler: "none, or transaction: a pooler in transaction mode, such as PgBouncer"
        case .httpHost: "address that the API listens on"
        case .httpPort: "port that the API listens on; 0 is any free one"
        case .httpHeaderTimeout: "time limit for receiving the headers of a request"
        case .httpBodyTimeout: "time limit for receiving the body of a request"
        case .httpRequestTimeout: "time limit for producing a response"
        case .httpSendTimeout: "how long a client may read nothing of its response"
        case .httpIdleTimeout: "how long a connection may be idle"
        case .httpConnections: "maximum number of connections; further ones wait"
        case .httpStopDelay: "how long to keep serving, reported as not ready, after SIGTERM"
        case .tlsCertificateFile: "PEM file with the API's certificate chain; enables TLS and HTTP/2"
        case .tlsKeyFile: "PEM file with the private key; changed files are reloaded"
        case .adminHost: "address that the operators' API listens on"
        case .adminPort: "port of operators' routes, then only there; 0 is any free one"
        case .metricsHost: "address that the metrics server listens on"
        case .metricsPort: "port of /metrics and /readyz; off unless set, 0 is any free one"
        case .logLevel: "trace, debug, info, notice, warning, error or critical"
        case .logFormat: "text or json"
        case .roles: "roles of this process: api, engine, dispatcher, separated by commas"
        case .apnsEnvironment: "production, sandbox or simulator; or production,sandbox"
        case .apnsHost: "host that replaces the environment's own"
        case .apnsPort: "port that replaces the environment's own"
        case .apnsChannelsPort: "the same for the management of broadcast channels"
        case .apnsCertificateAuthorityFile: "PEM file with the certificate authority to trust; for a simulator"
        case .apnsKeyFile: "provider key, a .p8 file, also for api; reloaded when it changes"
        case .apnsKeyID: "identifier of the key; optional if its file is AuthKey_KEYID.p8"
        case .apnsSandboxKeyFile: "provider key for the sandbox, if it has its own"
        case .apnsSandboxKeyID: "identifier of the sandbox key"
        case .apnsTeamID: "identifier of the developer team"
        case .apnsBundleID: "bundle identifier of the app"
        case .appleKeys: "Apple's keys, a file or https URL; turns on Sign in with Apple"
        case .appleBundleIDs: "bundle identifiers of the apps that sign in, separated by commas"
        case .journeyTick: "time between two ticks of a journey; the same on every node"
        case .bossTurn: "how long a turn of a boss fight stays open; the same on every node"
        case .keepEnded: "how long ended adventures and disbanded parties are kept"
        case .keepOutlines: "how long what remains of them is kept, for replays and exports"
        case .limitTokenRate: "sustained requests per second for each bearer token and node"
        case .limitTokenBurst: "burst of such requests; 0 disables the limit"
        case .limitAddressRate: "sustained requests per second for each address and node; IPv6 by /64"
        case .limitAddressBurst: "burst of such requests; 0 disables the limit"
        case .limitRegistrationRate: "sustained registrations per second for each address and node"
        case .limitRegistrationBurst: "burst of these; 0 disables the limit"
        case .limitWrongCodeRate: "sustained joins per second with unknown invite codes for each address"
        case .limitWrongCodeBurst: "burst of these; 0 disables the limit"
        case .limitReceiptsRate: "sustained reports of devices per second for each bearer token"
        case .limitReceiptsBurst: "burst of these; 0 disables the limit"
        case .quotaParties: "parties that a player may create or join in a day; 0 is no quota"
        case .quotaAdventures: "adventures that a player may start in a day; 0 is no quota"
        case .quotaDevices: "devices that a player may register in a day; 0: any"
        case .quotaActivities: "activities that a player may register in a day; 0 is no quota"
        case .quotaProfiles: "changes of name or hero that a player may make in a day; 0: any"
        case .trustedProxies: "proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8,::1"
        case .corsOrigins: "origins of web pages that may use the players' API: a list, or *"
        case .frequentTurnSpacing: "frequent pushes on: minimum time between pushes of turns"
        case .frequentLowSpacing: "frequent pushes on: minimum time between low-priority pushes"
        case .frequentHighCapacity: "frequent pushes on: budget of pushes with priority 10"
        case .frequentHighRefill: "frequent pushes on: time until the budget regains one push"
        case .frequentAlertReserve: "frequent pushes on: part of the budget reserved for alerts"
        case .frequentStaleAfter: "frequent pushes on: age at which a fight's state is stale"
        case .frequentJourneyStaleAfter: "frequent pushes on: age at which a journey's state is stale"
        case .standardTurnSpacing: "frequent pushes off: minimum time between pushes of turns"
        case .standardLowSpacing: "frequent pushes off: minimum time between low-priority pushes"
        case .standardHighCapacity: "frequent pushes off: budget of pushes with priority 10"
        case .standardHighRefill: "frequent pushes off: time until the budget regains one push"
        case .standardAlertReserve: "frequent pushes off: part of the budget reserved for alerts"
        case .standardStaleAfter: "frequent pushes off: age at which a fight's state is stale"
        case .standardJourneyStaleAfter: "frequent pushes off: age at which a journey's state is stale"
        case .alertQueueBound: "maximum number of alerts waiting for one activity"
        case .alertExpiry: "how long an alert may wait before it is dropped"
        case .dismissalAfter: "how long the Lock Screen keeps an ended activity"
        case .endExpiration: "how long APNs stores the end for a phone that is offline"
        case .ageWarningBefore: "how long before the end of its eight hours an activity says so"
        case .ageEndBefore: "how long before the end of its eight hours an activity is ended"
        case .startHourlyBudget: "activities started by push on a device in an hour, at most"
        case .startDailyBudget: "activities started by push on a device in a day, at most"
        case .startPartyHourlyBudget: "the share of one party in the starts of an hour"
        case .startPartyDailyBudget: "the share of one party in the starts of a day"
        case .startGrace: "how long a start by push waits for the app to start the activity"
        case .startRegistrationTimeout: "how long a started activity may take to report its token"
        case .startMaxRequestAge: "maximum age of a request to start an activity by push"
        case .startExpiration: "how long APNs stores a start for a phone that is offline"
        case .startSameAdventureSpacing: "minimum time between two starts of one adventure on a phone"
        case .raidStartDelay: "how long a start of a raid's activity waits for the raid's channel"
        case .raidStartSpacing: "time between the parties whose raids' activities a node starts"
        case .raidStartMaxRequestAge: "maximum age of a request to start a raid's activity"
        case .widgetSpacing: "minimum time between two pushes to the widgets of a device"
        case .fallbackHourlyBudget: "ordinary alerts in an hour to a device without Live Activity"
        }
    }

    /// The default in the notation of settings; nil if there is none.
    var defaultText: String? {
        let game = GameSettings()
        let cadence = CadencePolicy()
        return switch self {
        case .databaseURL, .apnsEnvironment, .apnsHost, .apnsPort, .apnsChannelsPort, .apnsCertificateAuthorityFile,
            .apnsKeyFile, .apnsKeyID, .apnsSandboxKeyFile, .apnsSandboxKeyID, .apnsTeamID, .apnsBundleID, .appleKeys,
            .appleBundleIDs,
            .trustedProxies, .corsOrigins, .tlsCertificateFile, .tlsKeyFile, .adminPort, .metricsPort:
            nil
        case .databasePooler: DatabasePooler.none.rawValue
        case .httpHost: ServiceSettings.defaultHTTPHost
        case .httpPort: "\(ServiceSettings.defaultHTTPPort)"
        case .httpHeaderTimeout: ServingSettings.defaultHeaderTimeout.settingText
        case .httpBodyTimeout: ServingSettings.defaultBodyTimeout.settingText
        case .httpRequestTimeout: ServingSettings.defaultRequestTimeout.settingText
        case .httpSendTimeout: ServingSettings.defaultSendTimeout.settingText
        case .httpIdleTimeout: ServingSettings.defaultIdleTimeout.settingText
        case .httpConnections: "\(ServingSettings.defaultMaxConnections)"
        case .httpStopDelay: ServingSettings.defaultStopDelay.settingText
        case .adminHost, .metricsHost: ServiceSettings.defaultHTTPHost
        case .logLevel: ServiceSettings.defaultLogLevel.rawValue
        case .logFormat: ServiceSettings.defaultLogFormat.rawValue
        case .roles: Role.allCases.map(\.rawValue).joined(separator: ",")
        case .journeyTick: game.journeyTick.settingText
        case .bossTurn: game.bossTurn.settingText
        case .keepEnded: RetentionSettings.defaultAge.settingText
        case .keepOutlines: RetentionSettings.defaultOutlineAge.settingText
        case .limitTokenRate: RequestLimits.standard.token.map { "\($0.perSecond)" }
        case .limitTokenBurst: RequestLimits.standard.token.map { "\($0.burst)" }
        case .limitAddressRate: RequestLimits.standard.address.map { "\($0.perSecond)" }
        case .limitAddressBurst: RequestLimits.standard.address.map { "\($0.burst)" }
        case .limitRegistrationRate: RequestLimits.standard.registration.map { "\($0.perSecond)" }
        case .limitRegistrationBurst: RequestLimits.standard.registration.map { "\($0.burst)" }
        case .limitWrongCodeRate: RequestLimits.standard.wrongCode.map { "\($0.perSecond)" }
        case .limitWrongCodeBurst: RequestLimits.standard.wrongCode.map { "\($0.burst)" }
        case .limitReceiptsRate: RequestLimits.standard.receipts.map { "\($0.perSecond)" }
        case .limitReceiptsBurst: RequestLimits.standard.receipts.map { "\($0.burst)" }
        case .quotaParties: Quotas.standard.parties.map { "\($0)" }
        case .quotaAdventures: Quotas.standard.adventures.map { "\($0)" }
        case .quotaDevices: Quotas.standard.devices.map { "\($0)" }
        case .quotaActivities: Quotas.standard.activities.map { "\($0)" }
        case .quotaProfiles: Quotas.standard.profiles.map { "\($0)" }
        case .frequentTurnSpacing: cadence.frequent.turnSpacing.settingText
        case .frequentLowSpacing: cadence.frequent.lowSpacing.settingText
        case .frequentHighCapacity: "\(cadence.frequent.highCapacity)"
        case .frequentHighRefill: cadence.frequent.highRefill.settingText
        case .frequentAlertReserve: "\(cadence.frequent.alertReserve)"
        case .frequentStaleAfter: cadence.frequent.staleAfter.settingText
        case .frequentJourneyStaleAfter: cadence.frequent.journeyStaleAfter.settingText
        case .standardTurnSpacing: cadence.standard.turnSpacing.settingText
        case .standardLowSpacing: cadence.standard.lowSpacing.settingText
        case .standardHighCapacity: "\(cadence.standard.highCapacity)"
        case .standardHighRefill: cadence.standard.highRefill.settingText
        case .standardAlertReserve: "\(cadence.standard.alertReserve)"
        case .standardStaleAfter: cadence.standard.staleAfter.settingText
        case .standardJourneyStaleAfter: cadence.standard.journeyStaleAfter.settingText
        case .alertQueueBound: "\(cadence.maxQueuedAlerts)"
        case .alertExpiry: cadence.alertExpiry.settingText
        case .dismissalAfter: cadence.dismissalAfter.settingText
        case .endExpiration: cadence.endExpiration.settingText
        case .ageWarningBefore: cadence.ageWarningBefore.settingText
        case .ageEndBefore: cadence.ageEndBefore.settingText
        case .startHourlyBudget: "\(cadence.pushToStart.hourlyBudget)"
        case .startDailyBudget: "\(cadence.pushToStart.dailyBudget)"
        case .startPartyHourlyBudget: "\(cadence.pushToStart.partyHourlyBudget)"
        case .startPartyDailyBudget: "\(cadence.pushToStart.partyDailyBudget)"
        case .startGrace: cadence.pushToStart.appGracePeriod.settingText
        case .startRegistrationTimeout: cadence.pushToStart.registrationTimeout.settingText
        case .startMaxRequestAge: cadence.pushToStart.maxRequestAge.settingText
        case .startExpiration: cadence.pushToStart.expiration.settingText
        case .startSameAdventureSpacing: cadence.pushToStart.sameAdventureSpacing.settingText
        case .raidStartDelay: cadence.pushToStart.raidDelay.settingText
        case .raidStartSpacing: cadence.pushToStart.raidSpacing.settingText
        case .raidStartMaxRequestAge: cadence.pushToStart.maxRaidRequestAge.settingText
        case .widgetSpacing: cadence.widgetSpacing.settingText
        case .fallbackHourlyBudget: "\(cadence.fallbackHourlyBudget)"
        }
    }
}
