package import APNsClient

/// The meaning of an APNs outcome, and its remedy, for operators.
package struct APNsAdvice: Hashable {
    /// The meaning, in one sentence.
    package let meaning: String
    /// The remedy, in one or two sentences.
    package let remedy: String

    init(_ meaning: String, _ remedy: String) {
        self.meaning = meaning
        self.remedy = remedy
    }
}

extension APNsOutcome {
    /// The meaning and remedy of the outcome of one push.
    package var advice: APNsAdvice {
        switch self {
        case .accepted:
            APNsAdvice(
                "APNs has accepted the push.",
                """
                Look at the phone. If it shows nothing new, the phone is off, the activity has ended there, the timestamp of \
                the payload is not newer than the last one, or the app cannot decode the content state.
                """
            )
        case .rejected(let rejection):
            rejection.reason.advice
        case .unknown(let failure):
            APNsAdvice(
                "The push was sent, but there was no response: \(failure).",
                "The push may have arrived. Repeat an update; look at the phone before you repeat a start."
            )
        case .neverSent(let failure):
            failure.advice
        }
    }
}

extension APNsFailure {
    fileprivate var advice: APNsAdvice {
        switch self {
        case .connection(let reason):
            APNsAdvice(
                "The push was not sent: \(reason).",
                """
                Check that this machine reaches APNs (TCP port 443 or 2197, HTTP/2 without a proxy that breaks it), and \
                that its certificate store is installed, or RANGERS_APNS_CA_FILE names the right file.
                """
            )
        case .providerToken(let reason):
            APNsAdvice("No provider token could be signed: \(reason).", "Check the provider key.")
        case .timedOut, .streamEnded, .goAway, .tooLate:
            APNsAdvice("The push was not sent: \(self).", "Try again in a while.")
        case .shuttingDown:
            APNsAdvice("The push was not sent: \(self).", "Use another server, or wait until this one runs again.")
        }
    }
}

extension APNsReason {
    /// The meaning of the reason, and the remedy.
    ///
    /// The meanings are those of Apple, "Handling notification responses from APNs" and "Handling error responses from
    /// Apple Push Notification service".
    package var advice: APNsAdvice { APNsAdvice(meaning, remedy) }

    private var meaning: String {
        switch self {
        case .badDeviceToken: "The device token does not belong to this environment."
        case .deviceTokenNotForTopic: "The device token belongs to another topic."
        case .unregistered: "The token is no longer valid: the app was removed, or the activity was dismissed."
        case .expiredToken: "The token has expired, as tokens of ended activities do."
        case .badTopic: "The topic is invalid."
        case .topicDisallowed: "The key's team may not push to this topic."
        case .missingTopic: "The request has no topic."
        case .topicMismatch: "The key does not cover the app in the path."
        case .invalidProviderToken: "The provider token's signature, key or team is wrong."
        case .expiredProviderToken: "The provider token is older than an hour."
        case .missingProviderToken: "The request has no provider token."
        case .badEnvironmentKeyInToken: "The provider key is limited to the other environment."
        case .unrelatedKeyIDInToken: "The connection began with another provider key."
        case .badCertificate: "APNs rejects a client certificate."
        case .badCertificateEnvironment: "APNs received a client certificate of the other environment."
        case .forbidden: "APNs does not allow the request."
        case .featureNotEnabled: "Broadcasts are not enabled for the app."
        case .tooManyProviderTokenUpdates: "The provider token has changed more than once in 20 minutes."
        case .tooManyRequests: "Too many pushes were sent to this token."
        case .payloadTooLarge: "The payload is larger than 4,096 bytes, or 5,120 bytes in a broadcast."
        case .payloadEmpty: "The request has no payload."
        case .internalServerError: "APNs has an internal error."
        case .serviceUnavailable: "APNs is not available."
        case .shutdown: "This APNs server is shutting down."
        case .idleTimeout: "The connection was idle for too long."
        case .badCollapseID: "The collapse identifier has more than 64 bytes."
        case .badExpirationDate:
            "The expiration is invalid, or the channel stores no messages and the expiration is not 0."
        case .badMessageID: "The apns-id is not a UUID."
        case .badPriority: "The priority is neither 5 nor 10."
        case .duplicateHeaders: "A header is present twice."
        case .invalidPushType: "The push type does not match the token."
        case .missingPushType: "The request has no push type."
        case .missingDeviceToken: "The path has no device token."
        case .badPath: "The path does not exist."
        case .methodNotAllowed: "The method is not POST."
        case .badChannelID: "The channel ID is invalid."
        case .channelNotRegistered: "The channel does not exist, or belongs to the other environment."
        case .missingChannelID: "The request has no channel ID."
        case .cannotCreateChannel: "The app has the maximum number of channels."
        case .badRequestParameters: "The channel's description has an invalid field."
        case .badRequestPayload: "The channel's description is not valid JSON."
        case .unknown(""):
            "The response has no reason, which APNs always gives: the response comes from another machine."
        case .unknown(let text): "APNs gave the reason \(text), which this release does not know."
        }
    }

    private var remedy: String {
        switch self {
        case .badDeviceToken:
            """
            Tokens of development builds belong to sandbox, those of builds from TestFlight or the App Store to \
            production. If the environment is right, the token is damaged: the app must register another one.
            """
        case .deviceTokenNotForTopic:
            """
            Check RANGERS_APNS_BUNDLE_ID, and that the token is an activity's push token or a push-to-start token, \
            not the device token of the app.
            """
        case .unregistered, .expiredToken:
            "Never use the token again. This is normal for ended activities; the server works correctly."
        case .badTopic: "Check RANGERS_APNS_BUNDLE_ID."
        case .topicDisallowed:
            """
            Check that RANGERS_APNS_BUNDLE_ID is the app's identifier and not the widget's, that RANGERS_APNS_TEAM_ID \
            is the app's team, and that a key limited to some topics includes this one.
            """
        case .missingTopic, .badCollapseID, .badMessageID, .badPriority, .invalidPushType, .missingPushType,
            .missingChannelID, .badRequestPayload:
            "This is a bug in the sender: report it."
        case .topicMismatch: "Check RANGERS_APNS_BUNDLE_ID and RANGERS_APNS_TEAM_ID against the developer account."
        case .invalidProviderToken:
            """
            Check that the key file, RANGERS_APNS_KEY_ID and RANGERS_APNS_TEAM_ID belong together, and that the key \
            has not been revoked.
            """
        case .expiredProviderToken: "Set this machine's clock, by which tokens are renewed every 50 minutes."
        case .missingProviderToken, .duplicateHeaders, .methodNotAllowed:
            "This is a bug in the sender or in a proxy: report it."
        case .badEnvironmentKeyInToken:
            "Use a key for this environment (RANGERS_APNS_SANDBOX_KEY_FILE for sandbox), or one for both."
        case .unrelatedKeyIDInToken: "Nothing: the next connection uses the new key. If the error persists, report it."
        case .badCertificate, .badCertificateEnvironment:
            "The sender uses no client certificate: look for a proxy on the way to APNs."
        case .forbidden:
            "Check in the developer account that the app has push notifications, and that the key covers the app."
        case .featureNotEnabled: "Enable broadcasts for the app's push notifications in the developer account."
        case .tooManyProviderTokenUpdates:
            "Wait 20 minutes. If the error returns, look for another program that signs a token for each request."
        case .tooManyRequests: "Wait, then send fewer pushes to it."
        case .payloadTooLarge: "Shorten it; the names in the content state are the part that grows."
        case .payloadEmpty: "Add a payload."
        case .internalServerError, .serviceUnavailable: "Try again later; Apple's system status page may say more."
        case .shutdown: "Try again: the next connection goes to another server."
        case .idleTimeout: "Try again: the client opens a new connection."
        case .badExpirationDate: "Check this machine's clock. If it is right, report a bug in the sender."
        case .missingDeviceToken: "Add a device token."
        case .badPath:
            "Check that RANGERS_APNS_HOST and RANGERS_APNS_PORT lead to APNs. If they do, report a bug in the sender."
        case .badChannelID, .channelNotRegistered: "Create another channel, and give its ID to the apps."
        case .cannotCreateChannel: "Delete unused channels, and try again."
        case .badRequestParameters: "Report it."
        case .unknown(""): "Look for a proxy or a load balancer on the way to APNs."
        case .unknown: "See Apple's documentation (Handling notification responses from APNs)."
        }
    }
}
