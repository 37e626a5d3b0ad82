import Encodings

/// A reason for which APNs rejects a request, in Apple's terms.
///
/// Names, statuses and meanings are those of "Handling notification responses from APNs" and, for broadcasts and
/// channels, of "Handling error responses from Apple Push Notification service". The raw value is the `reason` in the
/// response's body. Reasons that no request causes by itself, such as a server's shutdown, occur as injected faults.
enum RejectionReason: String, Error, CaseIterable, Codable, Sendable {
    /// The certificate is invalid; this simulator requests none.
    case badCertificate = "BadCertificate"
    /// The certificate is for the other environment; this simulator requests none.
    case badCertificateEnvironment = "BadCertificateEnvironment"
    /// The channel identifier is not base64.
    case badChannelID = "BadChannelId"
    /// The collapse identifier is longer than 64 bytes.
    case badCollapseID = "BadCollapseId"
    /// The token in the path is not hexadecimal, or was never issued in this environment.
    case badDeviceToken = "BadDeviceToken"
    /// The key is valid for the other environment only.
    ///
    /// Spelled as on the wire; Apple's table has "BadEnvironmentKeyIdInToken".
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    /// `apns-expiration` is not a time, is missing in a broadcast, or is not 0 although the channel stores nothing.
    case badExpirationDate = "BadExpirationDate"
    /// `apns-id` is not a UUID.
    case badMessageID = "BadMessageId"
    /// The path is unknown.
    case badPath = "BadPath"
    /// The push type does not allow the `apns-priority`, or a broadcast has none.
    case badPriority = "BadPriority"
    /// The description of a channel has an unknown field or value.
    case badRequestParameters = "BadRequestParams"
    /// The description of a channel is not JSON.
    case badRequestPayload = "BadRequestPayload"
    /// `apns-topic` is not a valid topic.
    case badTopic = "BadTopic"
    /// The app has the maximum number of channels.
    case cannotCreateChannel = "CannotCreateChannelConfig"
    /// The channel does not exist or was deleted.
    case channelNotRegistered = "ChannelNotRegistered"
    /// The topic is the app's, but not that of the push type or of the token.
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    /// A header that must be unique appears twice.
    case duplicateHeaders = "DuplicateHeaders"
    /// The provider token is older than an hour.
    case expiredProviderToken = "ExpiredProviderToken"
    /// The token's activity has ended and left the Lock Screen.
    case expiredToken = "ExpiredToken"
    /// The app is not allowed to use channels.
    case featureNotEnabled = "FeatureNotEnabled"
    /// The action is not allowed.
    case forbidden = "Forbidden"
    /// The connection was idle for too long.
    case idleTimeout = "IdleTimeout"
    /// APNs failed.
    case internalServerError = "InternalServerError"
    /// The provider token is malformed, has a wrong signature, names an unknown key or team, or names another team than
    /// the connection's.
    case invalidProviderToken = "InvalidProviderToken"
    /// `apns-push-type` is missing, unknown, or not `liveactivity` in a broadcast.
    case invalidPushType = "InvalidPushType"
    /// The path does not support the method.
    case methodNotAllowed = "MethodNotAllowed"
    /// The `apns-channel-id` header is missing.
    case missingChannelID = "MissingChannelId"
    /// The token is missing in the path.
    case missingDeviceToken = "MissingDeviceToken"
    /// The `authorization` header is missing.
    case missingProviderToken = "MissingProviderToken"
    /// A broadcast or the description of a channel has no push type.
    case missingPushType = "MissingPushType"
    /// The `apns-topic` header is missing.
    case missingTopic = "MissingTopic"
    /// The request has no body.
    case payloadEmpty = "PayloadEmpty"
    /// The body exceeds 4,096 bytes, or 5,120 for a broadcast.
    case payloadTooLarge = "PayloadTooLarge"
    /// APNs is temporarily unavailable.
    case serviceUnavailable = "ServiceUnavailable"
    /// This APNs server is shutting down.
    case shutdown = "Shutdown"
    /// The provider token changed less than 20 minutes ago on this connection.
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    /// There are too many pushes to one token or channel.
    case tooManyRequests = "TooManyRequests"
    /// The topic belongs to another app.
    case topicDisallowed = "TopicDisallowed"
    /// The key does not belong to the app in the path.
    case topicMismatch = "TopicMismatch"
    /// The token was valid and no longer is.
    case unregistered = "Unregistered"
    /// The provider token is signed with another key than the connection's.
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"

    /// The HTTP status.
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

    /// Returns the response's body: the reason as JSON and, with status 410, the time at which the token became
    /// invalid, in milliseconds.
    func body(invalidSince: Timestamp?) -> [UInt8] {
        // Reasons are ASCII letters and need no escaping; the order of the keys is fixed.
        let timestamp = invalidSince.map { ",\"timestamp\":\($0.epochMilliseconds)" } ?? ""
        return Array("{\"reason\":\"\(rawValue)\"\(timestamp)}".utf8)
    }
}
