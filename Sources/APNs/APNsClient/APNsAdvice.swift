/// What an answer of APNs means, and what whoever gets it does about it, in plain words.
public struct APNsAdvice: Hashable, Sendable {
    /// One sentence.
    public let meaning: String
    /// What to do; one or two sentences.
    public let remedy: String

    init(_ meaning: String, _ remedy: String) {
        self.meaning = meaning
        self.remedy = remedy
    }
}

extension APNsOutcome {
    /// What it means for one push, and what to do.
    public var advice: APNsAdvice {
        switch self {
        case .accepted:
            APNsAdvice(
                "APNs has taken the push.",
                """
                Look at the phone. Where it shows nothing new, the phone is off, the activity is over there, the payload's \
                timestamp is not newer than the last one, or the content state does not decode in the app.
                """
            )
        case .refused(let refusal):
            refusal.reason.advice
        case .unknown(let failure):
            APNsAdvice(
                "The push was sent, and there is no answer: \(failure).",
                "It may have arrived. An update can be sent again; look at the phone before a start is."
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
                that its certificate store is there, or RANGERS_APNS_CA_FILE is the right one.
                """
            )
        case .providerToken(let reason):
            APNsAdvice("No provider token could be signed: \(reason).", "Check the provider key.")
        case .timedOut, .streamEnded, .goAway, .tooLate:
            APNsAdvice("The push was not sent: \(self).", "Try again in a while.")
        case .shuttingDown:
            APNsAdvice("The push was not sent: \(self).", "Ask another server, or this one once it runs again.")
        }
    }
}

extension APNsReason {
    /// What it means, and what to do.
    ///
    /// Meanings are those of Apple, "Handling notification responses from APNs" and "Handling error responses from Apple
    /// Push Notification service".
    public var advice: APNsAdvice {
        switch self {
        case .badDeviceToken:
            APNsAdvice(
                "The device token is not one of this environment.",
                """
                A token of a build for development belongs to sandbox, one from TestFlight or the App Store to production. \
                If the environment is right, the token is damaged or invented: the app must register another one.
                """
            )
        case .deviceTokenNotForTopic:
            APNsAdvice(
                "The device token belongs to another topic.",
                """
                Check RANGERS_APNS_BUNDLE_ID, and that the token is an activity's or a push-to-start token, and not the \
                device's own.
                """
            )
        case .unregistered:
            APNsAdvice(
                "The token was good once: the app was removed, or the activity let go of.",
                "Never use the token again. This is how activities end; nothing is wrong with the server."
            )
        case .expiredToken:
            APNsAdvice(
                "The token has expired, as that of an activity does that is over.",
                "Never use the token again. This is how activities end; nothing is wrong with the server."
            )
        case .badTopic:
            APNsAdvice("The topic is not the name of anything.", "Check RANGERS_APNS_BUNDLE_ID.")
        case .topicDisallowed:
            APNsAdvice(
                "The key's team may not push to this topic.",
                """
                Check that RANGERS_APNS_BUNDLE_ID is the app's identifier and not the widget's, that RANGERS_APNS_TEAM_ID \
                is the app's team, and that the key, if it is limited to topics, has this one.
                """
            )
        case .missingTopic:
            APNsAdvice("The request has no topic.", "This is a fault of the sender: report it.")
        case .topicMismatch:
            APNsAdvice(
                "The key does not cover the app in the path.",
                "Check RANGERS_APNS_BUNDLE_ID and RANGERS_APNS_TEAM_ID against the developer account."
            )
        case .invalidProviderToken:
            APNsAdvice(
                "The provider token's signature, key or team is wrong.",
                """
                Check that the key file, RANGERS_APNS_KEY_ID and RANGERS_APNS_TEAM_ID belong together, and that the key \
                was not revoked.
                """
            )
        case .expiredProviderToken:
            APNsAdvice(
                "The provider token is older than an hour.",
                "Set this machine's clock: tokens are renewed well before, by that clock."
            )
        case .missingProviderToken:
            APNsAdvice("The request has no provider token.", "This is a fault of the sender, or of a proxy: report it.")
        case .badEnvironmentKeyInToken:
            APNsAdvice(
                "The provider key is limited to the other environment.",
                "Use a key for this environment (RANGERS_APNS_SANDBOX_KEY_FILE for sandbox), or one for both."
            )
        case .unrelatedKeyIDInToken:
            APNsAdvice(
                "The connection began with another provider key.",
                "Nothing: the next connection uses the new key. If it stays, report it."
            )
        case .badCertificate:
            APNsAdvice(
                "APNs takes a client certificate for a bad one.",
                "This sender shows none: look for a proxy that puts itself in between."
            )
        case .badCertificateEnvironment:
            APNsAdvice(
                "APNs takes a client certificate for one of the other environment.",
                "This sender shows none: look for a proxy that puts itself in between."
            )
        case .forbidden:
            APNsAdvice(
                "APNs forbids this.",
                "Check in the developer account that the app has push notifications, and that the key may push to it."
            )
        case .featureNotEnabled:
            APNsAdvice(
                "The app may not have broadcasts.",
                "Switch on broadcasts for the app's push notifications in the developer account."
            )
        case .tooManyProviderTokenUpdates:
            APNsAdvice(
                "The provider token has changed more than once in 20 minutes.",
                "Wait 20 minutes. If it comes again, look for another program that signs tokens over and over."
            )
        case .tooManyRequests:
            APNsAdvice("Too many pushes went to this token.", "Wait, and send it less.")
        case .payloadTooLarge:
            APNsAdvice(
                "The payload has more bytes than APNs takes: 4,096, or 5,120 in a broadcast.",
                "Shorten it: the names in the content state are what grows."
            )
        case .payloadEmpty:
            APNsAdvice("The request has no payload.", "Give it one.")
        case .internalServerError:
            APNsAdvice("Something is wrong at Apple's.", "Try again later; Apple's system status page may say more.")
        case .serviceUnavailable:
            APNsAdvice(
                "APNs is not there at the moment.",
                "Try again later; Apple's system status page may say more."
            )
        case .shutdown:
            APNsAdvice("This server of APNs goes down.", "Try again: the next connection leads to another one.")
        case .idleTimeout:
            APNsAdvice("The connection was idle for too long.", "Try again: there is a new connection then.")
        case .badCollapseID:
            APNsAdvice("The collapse identifier has more than 64 bytes.", "This is a fault of the sender: report it.")
        case .badExpirationDate:
            APNsAdvice(
                "The expiration is no time, or one although the channel stores nothing.",
                "Check this machine's clock; if it is right, report a fault of the sender."
            )
        case .badMessageID:
            APNsAdvice("The apns-id is no UUID.", "This is a fault of the sender: report it.")
        case .badPriority:
            APNsAdvice("The priority is neither 5 nor 10.", "This is a fault of the sender: report it.")
        case .duplicateHeaders:
            APNsAdvice("A header came twice.", "This is a fault of the sender, or of a proxy: report it.")
        case .invalidPushType:
            APNsAdvice("The push type is not one for this token.", "This is a fault of the sender: report it.")
        case .missingPushType:
            APNsAdvice("The request does not say its push type.", "This is a fault of the sender: report it.")
        case .missingDeviceToken:
            APNsAdvice("The path has no device token.", "Give the push a token.")
        case .badPath:
            APNsAdvice(
                "The path leads nowhere.",
                "Check RANGERS_APNS_HOST and RANGERS_APNS_PORT: is that APNs? If so, report a fault of the sender."
            )
        case .methodNotAllowed:
            APNsAdvice("The method is not POST.", "This is a fault of the sender, or of a proxy: report it.")
        case .badChannelID:
            APNsAdvice("The channel's name is none.", "Make another channel, and tell the apps.")
        case .channelNotRegistered:
            APNsAdvice(
                "There is no such channel, or it is one of the other environment.",
                "Make another channel, and tell the apps."
            )
        case .missingChannelID:
            APNsAdvice("The request names no channel.", "This is a fault of the sender: report it.")
        case .cannotCreateChannel:
            APNsAdvice("The app has as many channels as it may.", "Delete those that nobody needs, and try again.")
        case .badRequestParameters:
            APNsAdvice("The channel's description has something in it that APNs does not know.", "Report it.")
        case .badRequestPayload:
            APNsAdvice("The channel's description is no JSON.", "This is a fault of the sender: report it.")
        case .unknown(""):
            APNsAdvice(
                "The answer gives no reason, as APNs always does: it comes from something in between.",
                "Look for a proxy or a load balancer on the way to APNs."
            )
        case .unknown(let text):
            APNsAdvice(
                "APNs says \(text), which is a reason that this release does not know.",
                "Look it up in Apple's documentation (Handling notification responses from APNs)."
            )
        }
    }
}
