/// The channels of the app, and who follows them.
struct ChannelStore: Sendable {
    /// Apple's limit for an app in one environment ("Sending channel management requests to APNs").
    static let maximumChannels = 10_000

    private var channels: [Channel.ID: Channel] = [:]
    private let maximumChannels: Int

    /// - Parameter maximumChannels: how many there may be.
    init(maximumChannels: Int = Self.maximumChannels) {
        self.maximumChannels = maximumChannels
    }

    /// The names of all channels, in an order that is the same each time.
    var ids: [Channel.ID] { channels.keys.sorted { $0.base64 < $1.base64 } }

    /// The channel of that name; nil when there is none, or none any more.
    subscript(id: Channel.ID) -> Channel? { channels[id] }

    /// Makes a channel of that name, which is a new one.
    /// - Throws: ``APNsRefusal/cannotCreateChannel`` when there are as many as there may be.
    mutating func add(_ id: Channel.ID, storagePolicy: Channel.StoragePolicy) throws(APNsRefusal) {
        guard channels.count < maximumChannels else { throw .cannotCreateChannel }
        precondition(channels[id] == nil, "names are random, and this one is there already")
        channels[id] = Channel(storagePolicy: storagePolicy)
    }

    /// Deletes a channel, for ever; its followers hear nothing more.
    /// - Throws: ``APNsRefusal/channelNotRegistered``.
    mutating func remove(_ id: Channel.ID) throws(APNsRefusal) {
        guard channels.removeValue(forKey: id) != nil else { throw .channelNotRegistered }
    }

    /// Lets an activity follow a channel; what was published before, an end too, is none of its concern.
    /// - Returns: false when there is no such channel.
    mutating func follow(_ id: Channel.ID, _ place: ActivityPlace) -> Bool {
        guard channels[id] != nil else { return false }
        channels[id]?.followers.append(place)
        channels[id]?.endID = nil
        return true
    }

    /// Forgets followers that are forgotten.
    mutating func forget(_ places: Set<ActivityPlace>) {
        for id in channels.keys { channels[id]?.followers.removeAll(where: places.contains) }
    }

    /// Remembers the newest timestamp of a channel that phones believe, and its first end.
    mutating func notePublished(_ payload: ReceivedPayload, apnsID: String, to id: Channel.ID, at now: Moment) {
        guard var channel = channels[id] else { return }
        if payload.isPlausible(at: now), channel.newestTimestamp.map({ payload.timestamp > $0 }) ?? true {
            channel.newestTimestamp = payload.timestamp
            channel.newestID = apnsID
        }
        if payload.event == .end, channel.endID == nil { channel.endID = apnsID }
        channels[id] = channel
    }
}
