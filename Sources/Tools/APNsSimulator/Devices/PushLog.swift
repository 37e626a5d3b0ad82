import DequeModule
import Encodings

/// The latest requests, newest last; older ones are dropped.
struct PushLog: Sendable {
    /// A header of a request.
    struct Header: Encodable, Equatable, Sendable {
        let name: String
        let value: String
    }

    /// A payload's bytes, converted to text only when they are encoded.
    struct Payload: Encodable, Sendable {
        private let bytes: [UInt8]

        /// Keeps at most Apple's size limit, so that an oversized payload is bounded too.
        init(_ bytes: [UInt8]) {
            let limit = ReceivedPush.maxBroadcastBytes
            self.bytes = bytes.count <= limit ? bytes : Array(bytes.prefix(limit))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// A request and its outcome.
    struct Entry: Encodable, Sendable {
        /// The entry's number: from 1, without gaps.
        let number: Int
        let time: Timestamp
        /// The phone of the token; absent for an unknown token.
        let phoneID: WallID<Phone>?
        /// The activity that the push started; absent for other pushes.
        fileprivate(set) var activityID: WallID<PhoneActivity>?
        /// The channel of a broadcast.
        var channelID: Channel.ID?
        /// The beginning of the token: enough to tell an activity's tokens apart, too little to use one.
        var tokenStart: String?
        /// The priority; absent when the request was rejected before it was decoded.
        let priority: ReceivedPush.Priority?
        /// The push type; absent when the request was rejected before it was decoded.
        var pushType: PushType?
        let event: ReceivedPayload.Event?
        /// The payload's timestamp, in UNIX seconds.
        let timestamp: Int64?
        let apnsID: String
        /// The request's headers, without the provider token, and truncated.
        let headers: [Header]
        /// The payload's size, in bytes.
        let size: Int
        /// The HTTP status; absent when a fault suppressed the response.
        let status: Int?
        /// Apple's reason for a rejection.
        let reason: String?
        /// The phone's reaction; absent for a rejection.
        fileprivate(set) var reaction: PhoneActivity.Reaction?
        /// The number of followers with each reaction to a broadcast; absent for other pushes.
        fileprivate(set) var reactions: [PhoneActivity.Reaction: Int]?
        /// The time of the phone's reaction, if APNs had stored or grouped the push; absent otherwise.
        fileprivate(set) var reactedAt: Timestamp?
        /// The remaining budget for priority 10; absent when it is unlimited.
        let budgetLeft: Int?
        /// The alert in the phone's language; for a broadcast, in the app's development language.
        let alert: ShownAlert?
        /// The kind of the injected fault.
        var fault: FaultDescription.Kind?
        let payload: Payload
    }

    private let capacity: Int
    private var entries: Deque<Entry> = []
    private(set) var lastNumber = 0

    /// Creates an empty log.
    /// - Parameter capacity: the maximum number of entries: about 15 MB with payloads of 1 KB, 60 MB with the largest.
    init(capacity: Int = 10_000) {
        self.capacity = capacity
    }

    /// Appends an entry that is created with its number.
    mutating func append(_ makeEntry: (_ number: Int) -> Entry) -> Entry {
        if entries.count == capacity { entries.removeFirst() }
        lastNumber += 1
        let entry = makeEntry(lastNumber)
        entries.append(entry)
        return entry
    }

    /// Updates the entry of a delayed push with the phone's reaction and the started activity.
    /// - Returns: the entry; nil when it was dropped.
    mutating func updateReaction(
        _ number: Int,
        _ reaction: PhoneActivity.Reaction,
        activityID: WallID<PhoneActivity>?,
        at now: Timestamp
    ) -> Entry? {
        let index = number - firstNumber
        guard entries.indices.contains(index) else { return nil }
        entries[index].reaction = reaction
        entries[index].reactedAt = now
        if let activityID { entries[index].activityID = activityID }
        return entries[index]
    }

    /// Counts a reaction of one phone, or of several subscribers, to the newest entry, a broadcast.
    mutating func count(_ reaction: PhoneActivity.Reaction, times: Int = 1) {
        guard !entries.isEmpty, times > 0 else { return }
        entries[entries.count - 1].reactions?[reaction, default: 0] += times
    }

    /// The newest entry.
    var last: Entry? { entries.last }

    /// Updates the entry of a broadcast that was delayed for one phone.
    /// - Returns: the entry; nil when it was dropped.
    mutating func updateBroadcast(
        _ number: Int,
        from earlier: PhoneActivity.Reaction,
        to reaction: PhoneActivity.Reaction,
        at now: Timestamp
    ) -> Entry? {
        let index = number - firstNumber
        guard entries.indices.contains(index), var reactions = entries[index].reactions else { return nil }
        let waiting = reactions[earlier, default: 0]
        precondition(waiting > 0, "a delayed broadcast is counted as \(earlier)")
        reactions[earlier] = waiting > 1 ? waiting - 1 : nil
        reactions[reaction, default: 0] += 1
        entries[index].reactions = reactions
        entries[index].reactedAt = now
        return entries[index]
    }

    /// Returns at most `limit` entries after `number`, or from the oldest one on.
    func entries(after number: Int, limit: Int) -> some Collection<Entry> {
        // Callers may pass any number; no entries follow a number beyond the last one.
        let next = min(max(number, 0), lastNumber) + 1
        return entries.dropFirst(max(0, next - firstNumber)).prefix(limit)
    }

    private var firstNumber: Int { lastNumber - entries.count + 1 }
}
