import GameEngine
import Logging
import PartyAPI
import PushCadence
import RangersLogging

extension Setting {
    /// Every setting with its default and what it does, for `--help`.
    public static let reference: String = {
        let entries = allCases.map { setting in
            let standard = setting.standard.map { " (\($0))" } ?? ""
            return "  \(setting.rawValue)\(standard)\n      \(setting.summary)"
        }
        return entries.joined(separator: "\n")
    }()

    /// What it does, in a few words.
    var summary: String {
        switch self {
        case .databaseURL: "libpq URI; or set RANGERS_DATABASE_URL_FILE to a file that holds it"
        case .databasePooler: "none, or transaction: a pooler in transaction mode, such as PgBouncer"
        case .httpHost: "address that the API listens on"
        case .httpPort: "port that the API listens on; 0 is any free one"
        case .httpHeaderTimeout: "how long the headers of a request may take to arrive"
        case .httpBodyTimeout: "how long the body of a request may take to arrive"
        case .httpRequestTimeout: "how long an answer may take to be made"
        case .httpAnswerTimeout: "how long a client may take nothing of its answer"
        case .httpIdleTimeout: "how long a connection may stay without a request"
        case .httpConnections: "how many connections there may be; others wait for one to end"
        case .httpStopDelay: "how long to serve on, unready, when told to stop"
        case .tlsCertificateFile: "PEM file with the API's certificates; HTTP/2 comes with it"
        case .tlsKeyFile: "PEM file with the key; both are read again when they change"
        case .metricsHost: "address that the metrics are told on"
        case .metricsPort: "port of /metrics and /readyz; none unless set, 0 is any free one"
        case .logLevel: "trace, debug, info, notice, warning, error or critical"
        case .logFormat: "text or json"
        case .roles: "what this process does: api, engine, dispatcher, separated by commas"
        case .apnsEnvironment: "production, sandbox or simulator; or production,sandbox"
        case .apnsHost: "host in place of the environment's own"
        case .apnsPort: "port in place of the environment's own"
        case .apnsCertificateAuthorityFile: "PEM file with the authority to trust; a simulator needs it"
        case .apnsKeyFile: "provider key, a .p8 file, also for api; read again when it changes"
        case .apnsKeyID: "identifier of the key; needless if its file is AuthKey_KEYID.p8"
        case .apnsSandboxKeyFile: "provider key for the sandbox, where that needs another one"
        case .apnsSandboxKeyID: "its identifier"
        case .apnsTeamID: "identifier of the developer team"
        case .apnsBundleID: "bundle identifier of the app"
        case .journeyTick: "time between two ticks of a journey; the same on every node"
        case .bossTurn: "how long a turn of a boss fight stays open; the same on every node"
        case .keepEnded: "how long ended adventures and disbanded parties are kept whole"
        case .limitTokenRate: "requests a second that a node takes with a bearer token, for ever"
        case .limitTokenBurst: "how many of them at once; 0 for no limit by token"
        case .limitAddressRate: "requests a second that a node takes from an address; IPv6 by /64"
        case .limitAddressBurst: "how many of them at once; 0 for no limit by address"
        case .limitRegistrationRate: "players a second that a node registers from an address, for ever"
        case .limitRegistrationBurst: "how many of them at once; 0 for no limit of its own"
        case .limitWrongCodeRate: "joins a second by a code that no party has, from an address"
        case .limitWrongCodeBurst: "how many of them at once; 0 for no limit of its own"
        case .trustedProxies: "whose X-Forwarded-For is believed: 10.0.0.0/8,::1"
        case .corsOrigins: "origins of web pages that may use the players' API, by commas; or *"
        case .frequentTurnSpacing: "frequent pushes on: time between pushes of turns"
        case .frequentLowSpacing: "frequent pushes on: time between pushes of lesser things"
        case .frequentHighCapacity: "frequent pushes on: how many pushes of priority 10 may go at once"
        case .frequentHighRefill: "frequent pushes on: time until one more of these is allowed"
        case .frequentAlertReserve: "frequent pushes on: how many of these turns leave to alerts"
        case .frequentStaleAfter: "frequent pushes on: after how long a phone shows a fight's state as old"
        case .frequentJourneyStaleAfter: "frequent pushes on: the same of a journey's state"
        case .standardTurnSpacing: "frequent pushes off: time between pushes of turns"
        case .standardLowSpacing: "frequent pushes off: time between pushes of lesser things"
        case .standardHighCapacity: "frequent pushes off: how many pushes of priority 10 may go at once"
        case .standardHighRefill: "frequent pushes off: time until one more of these is allowed"
        case .standardAlertReserve: "frequent pushes off: how many of these turns leave to alerts"
        case .standardStaleAfter: "frequent pushes off: after how long a phone shows a fight's state as old"
        case .standardJourneyStaleAfter: "frequent pushes off: the same of a journey's state"
        case .alertQueueBound: "how many alerts may wait for one phone"
        case .alertExpiry: "how long an alert is worth sending"
        case .dismissalAfter: "how long the Lock Screen keeps an ended activity"
        case .endExpiration: "how long APNs keeps the end for a phone that is off"
        case .ageWarningBefore: "how long before its eight hours are over a card says so"
        case .ageEndBefore: "how long before its eight hours are over a card is ended"
        case .startHourlyBudget: "how many cards may be started on a player's phone by push in an hour"
        case .startDailyBudget: "how many cards may be started on a player's phone by push in a day"
        case .startGrace: "how long such a start waits for the app to make the card itself"
        case .startAnswerLimit: "how long a started card may take to report its token"
        case .startOldestBeginning: "how old the beginning of an adventure may be that starts cards"
        case .startExpiration: "how long APNs keeps a start for a phone that is off"
        case .startSameAdventureSpacing: "how long one adventure is not started twice on a phone"
        }
    }

    /// The default as it would be written, nil where there is none.
    var standard: String? {
        let game = GameSettings()
        let cadence = CadencePolicy()
        return switch self {
        case .databaseURL, .apnsEnvironment, .apnsHost, .apnsPort, .apnsCertificateAuthorityFile, .apnsKeyFile,
            .apnsKeyID, .apnsSandboxKeyFile, .apnsSandboxKeyID, .apnsTeamID, .apnsBundleID, .trustedProxies,
            .corsOrigins, .tlsCertificateFile, .tlsKeyFile, .metricsPort:
            nil
        case .databasePooler: DatabasePooler.none.rawValue
        case .httpHost: ServiceSettings.defaultHTTPHost
        case .httpPort: "\(ServiceSettings.defaultHTTPPort)"
        case .httpHeaderTimeout: ServingSettings.defaultHeaderTimeout.settingText
        case .httpBodyTimeout: ServingSettings.defaultBodyTimeout.settingText
        case .httpRequestTimeout: ServingSettings.defaultRequestTimeout.settingText
        case .httpAnswerTimeout: ServingSettings.defaultAnswerTimeout.settingText
        case .httpIdleTimeout: ServingSettings.defaultIdleTimeout.settingText
        case .httpConnections: "\(ServingSettings.defaultConnections)"
        case .httpStopDelay: ServingSettings.defaultStopDelay.settingText
        case .metricsHost: ServiceSettings.defaultHTTPHost
        case .logLevel: ServiceSettings.defaultLogLevel.rawValue
        case .logFormat: ServiceSettings.defaultLogFormat.rawValue
        case .roles: Role.allCases.map(\.rawValue).joined(separator: ",")
        case .journeyTick: game.journeyTick.settingText
        case .bossTurn: game.bossTurn.settingText
        case .keepEnded: RetentionSettings.usualAge.settingText
        case .limitTokenRate: RequestLimits.usual.token.map { "\($0.perSecond)" }
        case .limitTokenBurst: RequestLimits.usual.token.map { "\($0.burst)" }
        case .limitAddressRate: RequestLimits.usual.address.map { "\($0.perSecond)" }
        case .limitAddressBurst: RequestLimits.usual.address.map { "\($0.burst)" }
        case .limitRegistrationRate: RequestLimits.usual.registration.map { "\($0.perSecond)" }
        case .limitRegistrationBurst: RequestLimits.usual.registration.map { "\($0.burst)" }
        case .limitWrongCodeRate: RequestLimits.usual.wrongCode.map { "\($0.perSecond)" }
        case .limitWrongCodeBurst: RequestLimits.usual.wrongCode.map { "\($0.burst)" }
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
        case .alertQueueBound: "\(cadence.alertQueueBound)"
        case .alertExpiry: cadence.alertExpiry.settingText
        case .dismissalAfter: cadence.dismissalAfter.settingText
        case .endExpiration: cadence.endExpiration.settingText
        case .ageWarningBefore: cadence.ageWarningBefore.settingText
        case .ageEndBefore: cadence.ageEndBefore.settingText
        case .startHourlyBudget: "\(cadence.pushToStart.hourlyBudget)"
        case .startDailyBudget: "\(cadence.pushToStart.dailyBudget)"
        case .startGrace: cadence.pushToStart.grace.settingText
        case .startAnswerLimit: cadence.pushToStart.answerLimit.settingText
        case .startOldestBeginning: cadence.pushToStart.oldestBeginning.settingText
        case .startExpiration: cadence.pushToStart.expiration.settingText
        case .startSameAdventureSpacing: cadence.pushToStart.sameAdventureSpacing.settingText
        }
    }
}
