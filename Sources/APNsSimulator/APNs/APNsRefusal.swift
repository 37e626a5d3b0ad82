/// Why APNs refuses a push, in Apple's own words.
///
/// Names, statuses and meanings are those of "Handling notification responses from APNs". The raw value is the
/// `reason` of the answer's body. Reasons that only faults on demand produce (5xx, 429) are not here.
enum APNsRefusal: String, Error, CaseIterable, Sendable {
    /// The collapse identifier is longer than 64 bytes.
    case badCollapseID = "BadCollapseId"
    /// The token in the path is not hexadecimal, or nobody ever got it.
    case badDeviceToken = "BadDeviceToken"
    /// `apns-expiration` is not a time.
    case badExpirationDate = "BadExpirationDate"
    /// `apns-id` is not a UUID.
    case badMessageID = "BadMessageId"
    /// The path is not `/3/device/…`.
    case badPath = "BadPath"
    /// `apns-priority` is neither 5 nor 10.
    case badPriority = "BadPriority"
    /// `apns-topic` is not the name of anything.
    case badTopic = "BadTopic"
    /// The topic is the app's, but not that of its Live Activities.
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    /// A header that APNs reads appears twice.
    case duplicateHeaders = "DuplicateHeaders"
    /// The provider token is older than an hour.
    case expiredProviderToken = "ExpiredProviderToken"
    /// The provider token cannot be read, is signed by another key, or names another key or team.
    case invalidProviderToken = "InvalidProviderToken"
    /// `apns-push-type` is missing or is not `liveactivity`.
    case invalidPushType = "InvalidPushType"
    /// The method is not POST.
    case methodNotAllowed = "MethodNotAllowed"
    /// The path ends before the token.
    case missingDeviceToken = "MissingDeviceToken"
    /// There is no `authorization` header.
    case missingProviderToken = "MissingProviderToken"
    /// There is no `apns-topic` header.
    case missingTopic = "MissingTopic"
    /// The request has no body.
    case payloadEmpty = "PayloadEmpty"
    /// The body is larger than 4,096 bytes.
    case payloadTooLarge = "PayloadTooLarge"
    /// The topic belongs to another app.
    case topicDisallowed = "TopicDisallowed"
    /// The token was good once and is no more.
    case unregistered = "Unregistered"

    /// The status of the answer.
    var status: Int {
        switch self {
        case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
            .deviceTokenNotForTopic, .duplicateHeaders, .invalidPushType, .missingDeviceToken, .missingTopic,
            .payloadEmpty, .topicDisallowed:
            400
        case .expiredProviderToken, .invalidProviderToken, .missingProviderToken:
            403
        case .badPath:
            404
        case .methodNotAllowed:
            405
        case .unregistered:
            410
        case .payloadTooLarge:
            413
        }
    }
}
