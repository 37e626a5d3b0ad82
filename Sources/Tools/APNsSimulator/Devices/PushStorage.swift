import Encodings

/// What APNs keeps of pushes that it cannot deliver at once.
///
/// For a phone that is out of reach it keeps one push for each app, the newest, until that expires ("Sending notification
/// requests to APNs"); this one knows one app only. Of a channel that stores its messages it keeps the newest as well.
/// Pushes of priority 5 to a phone at rest are put together, if they are to be: they wait for a while, or for one of
/// priority 10 to wake the phone.
struct PushStorage: Sendable {
    /// How long APNs keeps a push that does not say how long.
    static let longestStorageSeconds: Int64 = 30 * 24 * 3600
    /// How long it keeps a broadcast at most.
    static let longestBroadcastStorageSeconds: Int64 = 8 * 3600

    /// How many pushes wait together for one phone; the next one takes them along.
    static let largestGroup = 100

    /// How long pushes of priority 5 wait for others; 0 when each comes through at once.
    let groupingSeconds: Int64
    private typealias Stored = (delivery: Delivery, until: Int64)
    private var pushes: [Int: Stored] = [:]
    /// By phone; each in the order in which they were published.
    private var broadcasts: [Int: [Stored]] = [:]
    private var groups: [Int: (deliveries: [Delivery], due: Int64)] = [:]

    init(groupingSeconds: Int64) {
        self.groupingSeconds = groupingSeconds
    }

    /// Whether a push is kept for a phone that is out of reach.
    enum Storing {
        /// It is, and another one is not any more.
        case kept(insteadOf: Delivery?)
        /// It says that it is not to be kept; what was kept before still is.
        case notKept
    }

    /// Keeps a push for a phone that is out of reach, instead of the one before.
    mutating func store(_ delivery: Delivery, at now: Moment) -> Storing {
        let longest =
            now.epochSeconds
            + (delivery.isBroadcast ? Self.longestBroadcastStorageSeconds : Self.longestStorageSeconds)
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

    /// What was kept for a phone that is in reach again, and whether it has expired meanwhile.
    mutating func takeStored(for phoneIndex: Int, at now: Moment) -> [(delivery: Delivery, isExpired: Bool)] {
        let push = pushes.removeValue(forKey: phoneIndex).map { [$0] } ?? []
        let all = push + (broadcasts.removeValue(forKey: phoneIndex) ?? [])
        return all.map { ($0.delivery, $0.until <= now.epochSeconds) }
    }

    /// Lets a push of priority 5 wait for others, unless it expires before they are due: APNs tries once at least.
    /// - Returns: false when it comes through at once.
    mutating func group(_ delivery: Delivery, at now: Moment) -> Bool {
        guard groupingSeconds > 0, delivery.priority == .low else { return false }
        var group = groups[delivery.phoneIndex] ?? ([], now.epochSeconds + groupingSeconds)
        guard group.deliveries.count < Self.largestGroup else { return false }
        guard (delivery.expirationEpochSeconds ?? .max) > group.due else { return false }
        // Otherwise there are two of them while it grows, and all are copied.
        groups[delivery.phoneIndex] = nil
        group.deliveries.append(delivery)
        groups[delivery.phoneIndex] = group
        return true
    }

    /// What waits for a phone, which is awake now.
    mutating func takeGroup(for phoneIndex: Int) -> [Delivery] {
        groups.removeValue(forKey: phoneIndex)?.deliveries ?? []
    }

    /// The phones whose group has waited for long enough.
    func phonesWithDueGroups(at now: Moment) -> [Int] {
        groups.filter { $0.value.due <= now.epochSeconds }.keys.sorted()
    }
}
