import Encodings

/// The pushes that APNs holds for later delivery.
///
/// For an offline phone, APNs stores the newest push for each app until it expires ("Sending notification requests to
/// APNs"); this simulator knows one app. For a channel with storage it also stores the newest broadcast. If grouping is
/// on, pushes of priority 5 to an idle phone wait for a while, or for a push of priority 10 that wakes the phone.
struct PushStorage: Sendable {
    /// The maximum storage time of a push to a device, and the default without `apns-expiration`.
    static let maxStorageSeconds: Int64 = 30 * 24 * 3600
    /// The maximum storage time of a broadcast.
    static let maxBroadcastStorageSeconds: Int64 = 8 * 3600

    /// The maximum size of a group; the next push delivers the group.
    static let maxGroupSize = 100

    /// The time for which pushes of priority 5 wait for others; 0 for immediate delivery.
    let groupingSeconds: Int64
    private typealias Stored = (delivery: Delivery, until: Int64)
    private var pushes: [Int: Stored] = [:]
    /// Stored broadcasts by phone, in order of publication.
    private var broadcasts: [Int: [Stored]] = [:]
    private var groups: [Int: (deliveries: [Delivery], due: Int64)] = [:]

    init(groupingSeconds: Int64) {
        self.groupingSeconds = groupingSeconds
    }

    /// The result of storing a push for an offline phone.
    enum StoreResult {
        /// The push is stored, in place of an earlier one if any.
        case kept(insteadOf: Delivery?)
        /// The push must not be stored; an earlier one still is.
        case notKept
    }

    /// Stores a push for an offline phone, in place of an earlier one.
    mutating func store(_ delivery: Delivery, at now: Timestamp) -> StoreResult {
        let longest =
            now.epochSeconds
            + (delivery.isBroadcast ? Self.maxBroadcastStorageSeconds : Self.maxStorageSeconds)
        let until = min(delivery.expirationEpochSeconds ?? longest, longest)
        guard until > now.epochSeconds else { return .notKept }
        guard delivery.isBroadcast else {
            let before = pushes.updateValue((delivery, until), forKey: delivery.phoneIndex)
            return .kept(insteadOf: before?.delivery)
        }
        var kept = broadcasts[delivery.phoneIndex, default: []]
        let before = kept.firstIndex { $0.delivery.target == delivery.target }.map { kept.remove(at: $0) }
        kept.append((delivery, until))
        broadcasts[delivery.phoneIndex] = kept
        return .kept(insteadOf: before?.delivery)
    }

    /// Removes and returns the stored pushes of a phone that is online again, and whether each has expired.
    mutating func takeStored(for phoneIndex: Int, at now: Timestamp) -> [(delivery: Delivery, isExpired: Bool)] {
        let push = pushes.removeValue(forKey: phoneIndex).map { [$0] } ?? []
        let all = push + (broadcasts.removeValue(forKey: phoneIndex) ?? [])
        return all.map { ($0.delivery, $0.until <= now.epochSeconds) }
    }

    /// Adds a push of priority 5 to its phone's group, unless it expires before the group is due: APNs tries each push
    /// at least once.
    /// - Returns: false when the push must be delivered immediately.
    mutating func group(_ delivery: Delivery, at now: Timestamp) -> Bool {
        guard groupingSeconds > 0, delivery.priority != .high else { return false }
        var group = groups[delivery.phoneIndex] ?? ([], now.epochSeconds + groupingSeconds)
        guard group.deliveries.count < Self.maxGroupSize else { return false }
        guard (delivery.expirationEpochSeconds ?? .max) > group.due else { return false }
        // Removing the value first avoids copying the array.
        groups[delivery.phoneIndex] = nil
        group.deliveries.append(delivery)
        groups[delivery.phoneIndex] = group
        return true
    }

    /// Removes and returns the group of a phone that is awake.
    mutating func takeGroup(for phoneIndex: Int) -> [Delivery] {
        groups.removeValue(forKey: phoneIndex)?.deliveries ?? []
    }

    /// Returns the phones with groups that are due.
    func phonesWithDueGroups(at now: Timestamp) -> [Int] {
        groups.filter { $0.value.due <= now.epochSeconds }.keys.sorted()
    }
}
