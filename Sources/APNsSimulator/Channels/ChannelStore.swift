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

    /// Lets an activity follow a channel.
    /// - Returns: false when there is no such channel.
    mutating func follow(_ id: Channel.ID, _ place: AddressBook.Place) -> Bool {
        guard channels[id] != nil else { return false }
        channels[id]?.followers.append(place)
        return true
    }

    /// Forgets followers that are forgotten.
    mutating func forget(_ places: Set<AddressBook.Place>) {
        for id in channels.keys { channels[id]?.followers.removeAll(where: places.contains) }
    }

    /// Remembers the newest timestamp of a channel.
    mutating func notePublished(_ timestamp: Int64, to id: Channel.ID) {
        let newest = channels[id]?.newestTimestamp ?? .min
        channels[id]?.newestTimestamp = max(timestamp, newest)
    }
}
