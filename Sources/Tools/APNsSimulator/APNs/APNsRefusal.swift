import Encodings

/// Why APNs refuses a request, in Apple's own words.
///
/// Names, statuses and meanings are those of "Handling notification responses from APNs" and, for broadcasts and channels,
/// of "Handling error responses from Apple Push Notification service". The raw value is the `reason` of the answer's body.
/// What no request of its own brings about, such as a server that shuts down, comes by a fault on demand.
enum APNsRefusal: String, Error, CaseIterable, Codable, Sendable {
    /// The certificate is bad; this APNs asks for none.
    case badCertificate = "BadCertificate"
    /// The certificate is of the other environment; this APNs asks for none.
    case badCertificateEnvironment = "BadCertificateEnvironment"
    /// A channel's name is no base64.
    case badChannelID = "BadChannelId"
    /// The collapse identifier is longer than 64 bytes.
    case badCollapseID = "BadCollapseId"
    /// The token in the path is not hexadecimal, or nobody ever got it in this environment.
    case badDeviceToken = "BadDeviceToken"
    /// The key is good for the other environment only.
    ///
    /// Written as it is seen on the wire; Apple's table has "BadEnvironmentKeyIdInToken".
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    /// `apns-expiration` is not a time, or is one although the channel stores nothing.
    case badExpirationDate = "BadExpirationDate"
    /// `apns-id` is not a UUID.
    case badMessageID = "BadMessageId"
    /// The path leads nowhere.
    case badPath = "BadPath"
    /// `apns-priority` is neither 5 nor 10.
    case badPriority = "BadPriority"
    /// The description of a channel has something unknown in it.
    case badRequestParameters = "BadRequestParams"
    /// The description of a channel is no JSON.
    case badRequestPayload = "BadRequestPayload"
    /// `apns-topic` is not the name of anything.
    case badTopic = "BadTopic"
    /// The app has as many channels as it may.
    case cannotCreateChannel = "CannotCreateChannelConfig"
    /// There is no such channel, or no more.
    case channelNotRegistered = "ChannelNotRegistered"
    /// The topic is the app's, but not that of its Live Activities.
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    /// A header that APNs reads appears twice.
    case duplicateHeaders = "DuplicateHeaders"
    /// The provider token is older than an hour.
    case expiredProviderToken = "ExpiredProviderToken"
    /// The token's activity is over and gone.
    case expiredToken = "ExpiredToken"
    /// The app may not have channels.
    case featureNotEnabled = "FeatureNotEnabled"
    /// The action is not allowed.
    case forbidden = "Forbidden"
    /// The connection was idle for too long.
    case idleTimeout = "IdleTimeout"
    /// Apple's fault.
    case internalServerError = "InternalServerError"
    /// The provider token cannot be read, is signed by another key, or names another key or team, also than that of the
    /// connection.
    case invalidProviderToken = "InvalidProviderToken"
    /// `apns-push-type` is missing or is not `liveactivity`.
    case invalidPushType = "InvalidPushType"
    /// The path is right and the method is not.
    case methodNotAllowed = "MethodNotAllowed"
    /// There is no `apns-channel-id` header.
    case missingChannelID = "MissingChannelId"
    /// The path ends before the token.
    case missingDeviceToken = "MissingDeviceToken"
    /// There is no `authorization` header.
    case missingProviderToken = "MissingProviderToken"
    /// A broadcast, or the description of a channel, does not say its push type.
    case missingPushType = "MissingPushType"
    /// There is no `apns-topic` header.
    case missingTopic = "MissingTopic"
    /// The request has no body.
    case payloadEmpty = "PayloadEmpty"
    /// The body is larger than 4,096 bytes, or 5,120 of a broadcast.
    case payloadTooLarge = "PayloadTooLarge"
    /// APNs is not there at the moment.
    case serviceUnavailable = "ServiceUnavailable"
    /// This server of APNs goes down.
    case shutdown = "Shutdown"
    /// The provider token has changed less than 20 minutes ago on this connection.
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    /// Too many pushes to one token, or to one channel.
    case tooManyRequests = "TooManyRequests"
    /// The topic belongs to another app.
    case topicDisallowed = "TopicDisallowed"
    /// The app in the path is not one of the key's.
    case topicMismatch = "TopicMismatch"
    /// The token was good once and is no more.
    case unregistered = "Unregistered"
    /// The provider token is signed by another key than that of the connection.
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"

    /// The status of the answer.
    var status: Int {
        switch self {
        case .badChannelID, .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority,
            .badRequestParameters, .badRequestPayload, .badTopic, .cannotCreateChannel, .channelNotRegistered,
            .deviceTokenNotForTopic, .duplicateHeaders, .featureNotEnabled, .idleTimeout, .invalidPushType,
            .missingChannelID, .missingDeviceToken, .missingPushType, .missingTopic, .payloadEmpty, .topicDisallowed:
            400
        case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyInToken, .expiredProviderToken,
            .forbidden, .invalidProviderToken, .missingProviderToken, .topicMismatch, .unrelatedKeyIDInToken:
            403
        case .badPath:
            404
        case .methodNotAllowed:
            405
        case .expiredToken, .unregistered:
            410
        case .payloadTooLarge:
            413
        case .tooManyProviderTokenUpdates, .tooManyRequests:
            429
        case .internalServerError:
            500
        case .serviceUnavailable, .shutdown:
            503
        }
    }

    /// The answer's body: the reason as JSON, and with status 410 since when, in milliseconds.
    func body(deadSince: Moment?) -> [UInt8] {
        // Reasons are ASCII letters, so they need no escaping; the order of the keys is fixed.
        let timestamp = deadSince.map { ",\"timestamp\":\($0.epochMilliseconds)" } ?? ""
        return Array("{\"reason\":\"\(rawValue)\"\(timestamp)}".utf8)
    }
}
