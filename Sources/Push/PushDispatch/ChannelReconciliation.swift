public import Encodings
public import GameLog

/// Compares the channels of an environment with the list of APNs, and keeps their number below a limit.
///
/// One list proves nothing: APNs may have made a channel whose name is not stored yet, or may list a new one late. A channel
/// that no row has is deleted once two lists had it, and every create that was claimed before the first of them is answered or
/// has expired. A row's channel is created anew once two lists lacked it.
public struct ChannelReconciliation: Hashable, Sendable {
    /// What to do after a comparison.
    public struct Actions: Hashable, Sendable {
        /// The channels at APNs that no row has and that have to be deleted, sorted.
        public var discards: [String] = []
        /// The rows whose channels APNs has lost, with the identifiers of these.
        public var lost: [BroadcastChannel.Key: String] = [:]
        /// The rows whose channels have to make room, the longest unused first.
        public var evictions: [BroadcastChannel.Key] = []
    }

    /// The maximum number of channels that an environment has by default: below the 10,000 of APNs, which leaves room for
    /// leftovers of interrupted requests.
    public static let maxChannels = 9_000
    /// The most by which the clocks of the database's machines differ.
    private static let clockTolerance = Duration.seconds(5)

    /// The maximum number of channels.
    public let limit: Int
    /// The unknown channels of the newest list, each with when it was seen first.
    private var unknown: [String: Timestamp] = [:]
    /// The rows' channels that the newest list lacked.
    private var missing: Set<String> = []
    /// When the newest list was requested; nil before the first.
    public private(set) var listedAt: Timestamp?

    /// Creates a reconciliation without a list.
    public init(limit: Int = Self.maxChannels) {
        self.limit = limit
    }

    /// The number of channels at APNs that no row has.
    public var unknownCount: Int { unknown.count }

    /// Whether another list is needed soon, to decide about what the newest one left open.
    public var isUncertain: Bool { !unknown.isEmpty || !missing.isEmpty }

    /// Compares rows with a list of APNs.
    /// - Parameters:
    ///   - listed: the channels that APNs has.
    ///   - listedAt: the time before the list was requested.
    ///   - rows: the channels of the environment that are not deleted, read after the list arrived.
    ///   - readAt: the time between the arrival of the list and the read of the rows.
    /// - Returns: what to do.
    public mutating func compare(
        _ listed: [String],
        at listedAt: Timestamp,
        with rows: [BroadcastChannel],
        at readAt: Timestamp
    ) -> Actions {
        var actions = Actions()
        let listed = Set(listed)
        let known = Set(rows.compactMap(\.channelID))
        // A create may have made any channel that was seen first after its claim.
        let oldestClaim = rows.lazy.compactMap(\.attemptedAt)
            .filter { readAt - $0 < ChannelLife.claimDuration + Self.clockTolerance }.min()
        var unknown: [String: Timestamp] = [:]
        for id in listed.subtracting(known) {
            unknown[id] = self.unknown[id] ?? readAt
            guard let seenAt = self.unknown[id] else { continue }
            if oldestClaim.map({ $0 > seenAt + Self.clockTolerance }) ?? true { actions.discards.append(id) }
        }
        actions.discards.sort()
        var missing: Set<String> = []
        for row in rows {
            guard let id = row.channelID, let createdAt = row.createdAt, !listed.contains(id),
                createdAt + Self.clockTolerance < listedAt
            else { continue }
            if self.missing.contains(id) { actions.lost[row.key] = id } else { missing.insert(id) }
        }
        (self.unknown, self.missing, self.listedAt) = (unknown, missing, listedAt)
        actions.evictions = evictions(among: rows, for: 0)
        return actions
    }

    /// Records that APNs has deleted an unknown channel.
    public mutating func noteDiscard(of id: String) {
        unknown[id] = nil
    }

    /// Returns the channels that may be created or deleted now, and those that have to make room for others.
    ///
    /// After a create with an unknown outcome, the next step waits for a list, which has the channel if APNs has made it.
    /// - Parameters:
    ///   - due: the wanted and ending channels that are due.
    ///   - rows: all channels of the environment that are not deleted.
    /// - Returns: the channels to create and to delete; those to end, the longest unused first; and whether some wait for a
    ///   list.
    public func room(
        for due: [BroadcastChannel],
        among rows: [BroadcastChannel]
    ) -> (ready: [BroadcastChannel.Key], evictions: [BroadcastChannel.Key], needsList: Bool) {
        let certain = due.filter { channel in
            guard let attemptedAt = channel.attemptedAt else { return true }
            return listedAt.map { $0 > attemptedAt + ChannelLife.claimDuration + Self.clockTolerance } ?? false
        }
        let ending = certain.filter { $0.state == .ending }.map(\.key)
        let wanted = certain.filter { $0.state == .wanted }.map(\.key)
        let needsList = certain.count < due.count
        // Without a list, there may be any number of unknown channels.
        guard listedAt != nil else { return (ending, [], needsList) }
        let keys = Set(wanted)
        let free = limit - unknown.count - rows.count { $0.isHeld && !keys.contains($0.key) }
        let creates = wanted.prefix(max(0, free))
        return (ending + creates, evictions(among: rows, for: wanted.count - creates.count), needsList)
    }

    private func evictions(among rows: [BroadcastChannel], for needed: Int) -> [BroadcastChannel.Key] {
        let surplus = max(needed, rows.count(where: \.isHeld) + unknown.count - limit)
        // Those that are ending make room, too.
        let ending = rows.count { $0.state == .ending && $0.isHeld }
        guard surplus > ending else { return [] }
        return rows.filter { $0.state == .created || $0.state == .live }
            .sorted { $0.usedAt < $1.usedAt }.prefix(surplus - ending).map(\.key)
    }
}
