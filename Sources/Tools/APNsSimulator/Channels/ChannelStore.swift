import Encodings

/// The app's channels and their followers.
struct ChannelStore: Sendable {
    /// Apple's limit for an app in one environment ("Sending channel management requests to APNs").
    static let maxChannels = 10_000

    private var channels: [Channel.ID: Channel] = [:]
    private let maxChannels: Int

    /// Creates a store without channels.
    /// - Parameter maxChannels: the maximum number of channels.
    init(maxChannels: Int = Self.maxChannels) {
        self.maxChannels = maxChannels
    }

    /// All identifiers, sorted.
    var ids: [Channel.ID] { channels.keys.sorted { $0.base64 < $1.base64 } }

    /// The channel with that identifier; nil when it does not exist or was deleted.
    subscript(id: Channel.ID) -> Channel? { channels[id] }

    /// Adds a channel under a new identifier.
    /// - Throws: ``RejectionReason/cannotCreateChannel`` at the maximum number of channels.
    mutating func add(_ id: Channel.ID, storagePolicy: Channel.StoragePolicy) throws(RejectionReason) {
        guard channels.count < maxChannels else { throw .cannotCreateChannel }
        precondition(channels[id] == nil, "random identifiers do not collide")
        channels[id] = Channel(storagePolicy: storagePolicy)
    }

    /// Deletes a channel for good; its followers get no more broadcasts.
    /// - Throws: ``RejectionReason/channelNotRegistered``.
    mutating func remove(_ id: Channel.ID) throws(RejectionReason) {
        guard channels.removeValue(forKey: id) != nil else { throw .channelNotRegistered }
    }

    /// Adds a follower to a channel.
    ///
    /// It receives only later broadcasts, which may follow even after an `end` to the earlier followers.
    /// - Returns: false when the channel does not exist.
    mutating func follow(_ id: Channel.ID, _ location: ActivityLocation) -> Bool {
        guard channels[id] != nil else { return false }
        channels[id]?.followers.append(location)
        channels[id]?.endID = nil
        return true
    }

    /// Gives a channel a number of subscribers without a phone, in place of earlier ones.
    /// - Returns: false when the channel does not exist.
    mutating func setCrowd(of id: Channel.ID, to count: Int) -> Bool {
        guard channels[id] != nil else { return false }
        channels[id]?.crowd = Array(repeating: .min, count: count)
        return true
    }

    /// Delivers a broadcast to the subscribers without a phone.
    /// - Returns: for how many it is newer than what they have, and for how many not.
    mutating func deliver(_ timestamp: Int64, toCrowdOf id: Channel.ID) -> (shown: Int, outdated: Int) {
        channels[id]?.deliver(timestamp) ?? (0, 0)
    }

    /// Removes followers whose activities are forgotten.
    mutating func forget(_ locations: Set<ActivityLocation>) {
        for id in channels.keys { channels[id]?.followers.removeAll(where: locations.contains) }
    }

    /// Records a broadcast: the newest plausible timestamp of the channel, and its first end.
    mutating func recordPublished(_ payload: ReceivedPayload, apnsID: String, to id: Channel.ID, at now: Timestamp) {
        guard var channel = channels[id] else { return }
        if payload.isPlausible(at: now), channel.newestTimestamp.map({ payload.timestamp > $0 }) ?? true {
            channel.newestTimestamp = payload.timestamp
            channel.newestID = apnsID
        }
        if payload.event == .end, channel.endID == nil { channel.endID = apnsID }
        channels[id] = channel
    }
}
