public import Encodings
public import Foundation
public import GameCore

/// A broadcast channel of APNs as the database has it: what needs it, and how far it is.
///
/// `ChannelLife` decides about its changes.
public struct BroadcastChannel: Hashable, Sendable {
    /// What many phones follow, and what therefore needs channels.
    public struct Owner: Hashable, Sendable {
        /// A kind of owner.
        public enum Kind: String, CaseIterable, Sendable {
            /// A raid.
            case raid
            /// A party whose adventure has spectators.
            case party
        }

        /// The kind.
        public let kind: Kind
        /// The identifier; its last byte is the shard of the channel's row.
        public let id: UUID

        /// Creates an owner.
        public init(_ kind: Kind, _ id: UUID) {
            self.kind = kind
            self.id = id
        }
    }

    /// What identifies a channel before APNs has named it.
    public struct Key: Hashable, Sendable {
        /// The owner.
        public let owner: Owner
        /// The APNs environment.
        public let environment: PushEnvironment

        /// Creates a key.
        public init(_ owner: Owner, in environment: PushEnvironment) {
            self.owner = owner
            self.environment = environment
        }

        /// The shard of the row.
        public var shard: Shard { Shard(of: owner.id) }
    }

    /// How far a channel is.
    public enum State: String, CaseIterable, Sendable {
        /// The owner needs it, and APNs has to create it.
        case wanted
        /// APNs has created it, and accepted no broadcast yet.
        case created
        /// APNs has accepted a broadcast.
        case live
        /// The owner no longer needs it, and APNs has to delete it.
        case ending
        /// APNs has deleted it, or never had it.
        case deleted
    }

    /// What APNs stores for phones that are not connected; the raw values are Apple's.
    public enum StoragePolicy: Int16, Sendable {
        /// Nothing; allows a higher rate of broadcasts.
        case noMessage = 0
        /// The newest broadcast.
        case mostRecentMessage = 1

        /// The policy of a party's channel, whose spectators come at any time.
        public static let ofSpectators = Self.mostRecentMessage
    }

    /// The owner and the environment.
    public let key: Key
    /// What APNs stores.
    public var storagePolicy: StoragePolicy
    /// How far it is.
    public var state: State
    /// The identifier that APNs has given it; nil unless APNs has it.
    public var channelID: String?
    /// When the owner needed it first.
    public var wantedAt: Timestamp
    /// When APNs created it.
    public var createdAt: Timestamp?
    /// When the owner needed it, or a broadcast was sent, last.
    public var usedAt: Timestamp
    /// When the request that creates it, and whose outcome is unknown, was claimed.
    public var attemptedAt: Timestamp?
    /// The failures in succession of requests that create or delete it.
    public var attempts: Int
    /// The earliest time of the next one.
    public var retryAt: Timestamp
    /// The version of the owner's state that the newest accepted broadcast has shown; zero before the first.
    public var version: Int64
    /// How far the owner was in that state.
    public var stage: Int
    /// The failures in succession of broadcasts.
    public var broadcastFailures: Int
    /// The earliest time of the next broadcast.
    public var broadcastAfter: Timestamp

    /// Creates a channel that its owner needs from a moment on.
    public init(_ key: Key, storing storagePolicy: StoragePolicy, wantedAt moment: Timestamp) {
        self.init(
            key: key,
            storagePolicy: storagePolicy,
            state: .wanted,
            channelID: nil,
            wantedAt: moment,
            createdAt: nil,
            usedAt: moment,
            attemptedAt: nil,
            attempts: 0,
            retryAt: moment,
            version: 0,
            stage: 0,
            broadcastFailures: 0,
            broadcastAfter: moment
        )
    }

    /// Creates a channel from its row.
    package init(
        key: Key,
        storagePolicy: StoragePolicy,
        state: State,
        channelID: String?,
        wantedAt: Timestamp,
        createdAt: Timestamp?,
        usedAt: Timestamp,
        attemptedAt: Timestamp?,
        attempts: Int,
        retryAt: Timestamp,
        version: Int64,
        stage: Int,
        broadcastFailures: Int,
        broadcastAfter: Timestamp
    ) {
        self.key = key
        self.storagePolicy = storagePolicy
        self.state = state
        self.channelID = channelID
        self.wantedAt = wantedAt
        self.createdAt = createdAt
        self.usedAt = usedAt
        self.attemptedAt = attemptedAt
        self.attempts = attempts
        self.retryAt = retryAt
        self.version = version
        self.stage = stage
        self.broadcastFailures = broadcastFailures
        self.broadcastAfter = broadcastAfter
    }

    /// Whether APNs has the channel, or may have it.
    public var isHeld: Bool { channelID != nil || attemptedAt != nil }
}
