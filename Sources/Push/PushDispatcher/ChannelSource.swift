public import Foundation
public import GameLog
public import LiveActivityContent
public import PushDispatch

/// What the phones that follow a channel are to show.
public struct ChannelContent: Sendable {
    /// The identifier of the owner.
    public let ownerID: UUID
    /// The version and the stage.
    public let broadcast: ChannelBroadcast
    /// The complete state as JSON, the value of `content-state`.
    public let contentState: [UInt8]
    /// The alert for phones that were not yet shown this stage; nil for none.
    public let alert: LiveActivityPayload.Alert?

    /// Creates the content.
    public init(
        of ownerID: UUID,
        _ broadcast: ChannelBroadcast,
        contentState: [UInt8],
        alert: LiveActivityPayload.Alert?
    ) {
        self.ownerID = ownerID
        self.broadcast = broadcast
        self.contentState = contentState
        self.alert = alert
    }
}

/// The contents of one kind of owner at a moment.
public struct ChannelContents: Sendable {
    /// The contents of the owners that need a channel, and of those that have one.
    public let contents: [ChannelContent]
    /// The owners whose state cannot be read at present; their channels stay as they are.
    public let unreadable: Set<UUID>

    /// Creates contents.
    public init(_ contents: [ChannelContent], unreadable: Set<UUID> = []) {
        self.contents = contents
        self.unreadable = unreadable
    }
}

/// Where the states of one kind of owner come from.
///
/// A source may keep what it has read, so each environment has sources of its own.
public struct ChannelSource: Sendable {
    /// The kind of owner.
    let kind: BroadcastChannel.Owner.Kind
    /// What APNs stores for phones that are not connected.
    let storagePolicy: BroadcastChannel.StoragePolicy
    /// Returns the contents of all owners that need a channel, and of those that have one.
    let contents: @Sendable (_ owners: Set<UUID>) async throws -> ChannelContents

    /// Creates a source.
    /// - Parameters:
    ///   - kind: the kind of owner.
    ///   - storagePolicy: what APNs stores.
    ///   - contents: returns the contents of all owners that need a channel, and of those that have one; an owner without
    ///     a content that is not unreadable is over, and needs no last broadcast.
    public init(
        of kind: BroadcastChannel.Owner.Kind,
        storing storagePolicy: BroadcastChannel.StoragePolicy,
        contents: @escaping @Sendable (_ owners: Set<UUID>) async throws -> ChannelContents
    ) {
        self.kind = kind
        self.storagePolicy = storagePolicy
        self.contents = contents
    }
}
