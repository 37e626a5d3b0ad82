import Encodings
public import Foundation

/// One update or end for every Live Activity that follows a channel (iOS 18 and later).
///
/// A broadcast that exists keeps within Apple's limits ("Sending broadcast push notification requests to APNs").
public struct APNsBroadcast: Hashable, Sendable {
    /// Apple's limit; a device takes no more than 4,096 bytes of attributes and state together.
    public static let maxPayloadBytes = 5120

    /// Whose channel it is.
    public let bundleID: BundleID
    /// Where it goes.
    public let channel: APNsChannel
    /// How urgent it is.
    public let priority: APNsPush.Priority
    /// `apns-expiration` in seconds since 1970: until when APNs may store it; 0 for not at all.
    public let expirationEpochSeconds: Int64
    /// `apns-request-id`, by which the answer and Apple's logs name it.
    public let id: UUID
    /// The JSON; its event is an update or an end, since no broadcast starts an activity.
    public let payload: [UInt8]

    /// The broadcast with those properties.
    /// - Throws: the limit that it exceeds.
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

/// Which limit of Apple's a broadcast would exceed.
public enum APNsBroadcastError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is nothing to send.
    case payloadEmpty
    /// The payload has more bytes than a broadcast may.
    case payloadTooLarge(bytes: Int)
    /// The expiration lies before 1970.
    case negativeExpiration(epochSeconds: Int64)
    /// The channel stores nothing, so that only an expiration of 0 is taken.
    case expirationWithoutStorage

    /// One sentence for a log.
    public var description: String {
        switch self {
        case .payloadEmpty: "the broadcast has no payload"
        case .payloadTooLarge(let bytes): "the payload has \(bytes) bytes, more than \(APNsBroadcast.maxPayloadBytes)"
        case .negativeExpiration(let epochSeconds): "the expiration \(epochSeconds) lies before 1970"
        case .expirationWithoutStorage: "the channel stores no message, so its broadcasts must have the expiration 0"
        }
    }
}
