import Encodings
public import Foundation

/// An update or end for all Live Activities that subscribe to a channel (iOS 18 and later).
///
/// The initializer checks Apple's limits ("Sending broadcast push notification requests to APNs").
public struct APNsBroadcast: Hashable, Sendable {
    /// Apple's size limit for a payload; a device accepts at most 4,096 bytes of attributes and state together.
    public static let maxPayloadBytes = 5120

    /// The app of the channel.
    public let bundleID: BundleID
    /// The channel.
    public let channel: APNsChannel
    /// The priority.
    public let priority: APNsPush.Priority
    /// `apns-expiration` in seconds since 1970, until which APNs may store the broadcast; 0 to store nothing.
    public let expirationEpochSeconds: Int64
    /// `apns-request-id`, the identifier in the response and in Apple's logs.
    public let id: UUID
    /// The JSON payload; its event is `update` or `end`, since broadcasts cannot start activities.
    public let payload: [UInt8]

    /// Creates a broadcast.
    /// - Throws: `APNsBroadcastError` if it exceeds a limit.
    public init(
        bundleID: BundleID,
        channel: APNsChannel,
        priority: APNsPush.Priority,
        expirationEpochSeconds: Int64,
        id: UUID,
        payload: [UInt8]
    ) throws(APNsBroadcastError) {
        guard !payload.isEmpty else { throw .payloadEmpty }
        guard payload.count <= Self.maxPayloadBytes else { throw .payloadTooLarge(bytes: payload.count) }
        guard expirationEpochSeconds >= 0 else { throw .negativeExpiration(epochSeconds: expirationEpochSeconds) }
        guard expirationEpochSeconds == 0 || channel.storagePolicy == .mostRecentMessage else {
            throw .expirationWithoutStorage
        }
        self.bundleID = bundleID
        self.channel = channel
        self.priority = priority
        self.expirationEpochSeconds = expirationEpochSeconds
        self.id = id
        self.payload = payload
    }
}

/// The reason why a broadcast is invalid: the limit of APNs that it exceeds.
public enum APNsBroadcastError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The payload is empty.
    case payloadEmpty
    /// The payload is larger than ``APNsBroadcast/maxPayloadBytes``.
    case payloadTooLarge(bytes: Int)
    /// The expiration is before 1970.
    case negativeExpiration(epochSeconds: Int64)
    /// The channel stores no messages, and the expiration is not 0.
    case expirationWithoutStorage

    /// The limit in a few words, for logs.
    public var description: String {
        switch self {
        case .payloadEmpty: "the broadcast has no payload"
        case .payloadTooLarge(let bytes): "the payload has \(bytes) bytes, more than \(APNsBroadcast.maxPayloadBytes)"
        case .negativeExpiration(let epochSeconds): "the expiration \(epochSeconds) is before 1970"
        case .expirationWithoutStorage: "the channel stores no message, so its broadcasts must have the expiration 0"
        }
    }
}
