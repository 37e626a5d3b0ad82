/// The reason of a rejection by APNs, for pushes and for channel management.
///
/// Sources: Apple, "Handling notification responses from APNs" and "Handling error responses from Apple Push
/// Notification service". Undocumented reasons are kept as text.
public enum APNsReason: Hashable, Sendable {
    // 400
    case badCollapseID
    case badDeviceToken
    case badExpirationDate
    case badMessageID
    case badPriority
    case badTopic
    case deviceTokenNotForTopic
    case duplicateHeaders
    case idleTimeout
    case invalidPushType
    case missingDeviceToken
    case missingTopic
    case payloadEmpty
    case topicDisallowed
    // 400, of broadcasts and channels only
    case badChannelID
    case badRequestParameters
    case badRequestPayload
    case cannotCreateChannel
    case channelNotRegistered
    case featureNotEnabled
    case missingChannelID
    case missingPushType
    // 403
    case badCertificate
    case badCertificateEnvironment
    case badEnvironmentKeyInToken
    case expiredProviderToken
    case forbidden
    case invalidProviderToken
    case missingProviderToken
    case topicMismatch
    case unrelatedKeyIDInToken
    // 404, 405
    case badPath
    case methodNotAllowed
    // 410
    case expiredToken
    case unregistered
    // 413
    case payloadTooLarge
    // 429
    case tooManyProviderTokenUpdates
    case tooManyRequests
    // 500, 503
    case internalServerError
    case serviceUnavailable
    case shutdown
    /// An undocumented reason; empty if APNs gave none.
    case unknown(String)

    /// Creates a reason from APNs' text.
    public init(_ text: String) {
        self = Self.byText[text] ?? .unknown(text)
    }

    /// APNs' text of the reason.
    public var text: String {
        switch self {
        case .unknown(let text): text
        case let known: Self.textOf[known] ?? ""
        }
    }

    /// The reaction of a sender; nil if it depends on the status.
    var reaction: APNsReaction? {
        switch self {
        case .tooManyRequests, .internalServerError, .serviceUnavailable: .retry
        // Another token would prolong the rejections. APNs accepts the current one again after a while.
        case .tooManyProviderTokenUpdates: .pauseSending
        case .expiredProviderToken: .renewToken
        case .badDeviceToken, .deviceTokenNotForTopic, .expiredToken, .unregistered: .forgetToken
        case .badChannelID, .channelNotRegistered: .forgetChannel
        case .cannotCreateChannel: .deleteChannels
        case .badTopic, .topicDisallowed, .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyInToken,
            .featureNotEnabled, .forbidden, .invalidProviderToken, .topicMismatch:
            .stopSending
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .badRequestParameters,
            .badRequestPayload, .duplicateHeaders, .invalidPushType, .missingChannelID, .missingDeviceToken,
            .missingPushType, .missingTopic, .payloadEmpty, .missingProviderToken, .badPath, .methodNotAllowed,
            .payloadTooLarge:
            .dropMessage
        case .idleTimeout, .unrelatedKeyIDInToken, .shutdown: .reconnect
        case .unknown: nil
        }
    }

    private static let texts: [(APNsReason, String)] = [
        (.badCollapseID, "BadCollapseId"),
        (.badDeviceToken, "BadDeviceToken"),
        (.badExpirationDate, "BadExpirationDate"),
        (.badMessageID, "BadMessageId"),
        (.badPriority, "BadPriority"),
        (.badTopic, "BadTopic"),
        (.deviceTokenNotForTopic, "DeviceTokenNotForTopic"),
        (.duplicateHeaders, "DuplicateHeaders"),
        (.idleTimeout, "IdleTimeout"),
        (.invalidPushType, "InvalidPushType"),
        (.missingDeviceToken, "MissingDeviceToken"),
        (.missingTopic, "MissingTopic"),
        (.payloadEmpty, "PayloadEmpty"),
        (.topicDisallowed, "TopicDisallowed"),
        (.badChannelID, "BadChannelId"),
        (.badRequestParameters, "BadRequestParams"),
        (.badRequestPayload, "BadRequestPayload"),
        (.cannotCreateChannel, "CannotCreateChannelConfig"),
        (.channelNotRegistered, "ChannelNotRegistered"),
        (.featureNotEnabled, "FeatureNotEnabled"),
        (.missingChannelID, "MissingChannelId"),
        (.missingPushType, "MissingPushType"),
        (.badCertificate, "BadCertificate"),
        (.badCertificateEnvironment, "BadCertificateEnvironment"),
        // Seen on the wire; Apple's table has "KeyId".
        (.badEnvironmentKeyInToken, "BadEnvironmentKeyInToken"),
        (.expiredProviderToken, "ExpiredProviderToken"),
        (.forbidden, "Forbidden"),
        (.invalidProviderToken, "InvalidProviderToken"),
        (.missingProviderToken, "MissingProviderToken"),
        (.topicMismatch, "TopicMismatch"),
        (.unrelatedKeyIDInToken, "UnrelatedKeyIdInToken"),
        (.badPath, "BadPath"),
        (.methodNotAllowed, "MethodNotAllowed"),
        (.expiredToken, "ExpiredToken"),
        (.unregistered, "Unregistered"),
        (.payloadTooLarge, "PayloadTooLarge"),
        (.tooManyProviderTokenUpdates, "TooManyProviderTokenUpdates"),
        (.tooManyRequests, "TooManyRequests"),
        (.internalServerError, "InternalServerError"),
        (.serviceUnavailable, "ServiceUnavailable"),
        (.shutdown, "Shutdown"),
    ]

    /// All documented reasons, ordered by status.
    public static let documented: [Self] = texts.map(\.0)

    private static let textOf = Dictionary(uniqueKeysWithValues: texts)

    /// Apple's alternative spellings.
    private static let otherTexts: [(String, APNsReason)] = [
        ("BadEnvironmentKeyIdInToken", .badEnvironmentKeyInToken),
        ("Service Unavailable", .serviceUnavailable),
    ]

    private static let byText = Dictionary(uniqueKeysWithValues: texts.map { ($1, $0) } + otherTexts)
}
