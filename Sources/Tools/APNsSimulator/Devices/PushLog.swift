import DequeModule

/// The requests that came in, newest last; the oldest are forgotten.
struct PushLog: Sendable {
    /// A header of a request.
    struct Header: Encodable, Equatable, Sendable {
        let name: String
        let value: String
    }

    /// A payload as it came, and as text for people; it becomes text when somebody reads it.
    struct Payload: Encodable, Sendable {
        private let bytes: [UInt8]

        /// The payload, cut at Apple's limit: what is kept of one that is refused for its size has a bound too.
        init(_ bytes: [UInt8]) {
            let limit = PushRequest.maximumBroadcastBytes
            self.bytes = bytes.count <= limit ? bytes : Array(bytes.prefix(limit))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// What became of one request.
    struct Entry: Encodable, Sendable {
        /// 1 and up, without gaps.
        let number: Int
        let time: Moment
        /// Whose token it was; absent when it was nobody's.
        let phoneID: Identifier<Phone>?
        /// Of a start: what it has started, once it has.
        fileprivate(set) var activityID: Identifier<PhoneActivity>?
        /// With a broadcast: where to.
        var channelID: Channel.ID?
        /// How the token begins that it was sent to: enough to tell an activity's tokens apart, not to use one.
        var tokenStart: String?
        /// Absent when the request was refused before it was read.
        let priority: PushRequest.Priority?
        let event: ReceivedPayload.Event?
        /// The payload's, in UNIX seconds.
        let timestamp: Int64?
        let apnsID: String
        /// As they came, but without the sender's token, and cut where they are too long to be read.
        let headers: [Header]
        /// Of the payload, in bytes.
        let size: Int
        /// Of the answer; absent when a fault kept APNs from giving any.
        let status: Int?
        /// Apple's reason when it was refused.
        let reason: String?
        /// What the phone made of it; absent when it was refused.
        fileprivate(set) var reaction: PhoneActivity.Reaction?
        /// What the phones made of a broadcast, and how many did; absent with all else.
        fileprivate(set) var reactions: [PhoneActivity.Reaction: Int]?
        /// When it did, if that was later than the push came: APNs had stored or grouped it.
        fileprivate(set) var reactedAt: Moment?
        /// How many more pushes of priority 10 the phone takes within the hour; absent when it takes any number.
        let budgetLeft: Int?
        /// As the phone says it; of a broadcast, as one does that speaks the app's own language.
        let alert: ShownAlert?
        /// What went wrong with it on demand: the name of the fault.
        var fault: NewFault.Kind?
        let payload: Payload
    }

    private let capacity: Int
    private var entries: Deque<Entry> = []
    private(set) var lastNumber = 0

    /// - Parameter capacity: how many requests are remembered: with payloads of 1 KB some 15 MB, with the largest 60.
    init(capacity: Int = 10_000) {
        self.capacity = capacity
    }

    /// Adds an entry, made for the number that it gets.
    mutating func append(_ makeEntry: (_ number: Int) -> Entry) -> Entry {
        if entries.count == capacity { entries.removeFirst() }
        lastNumber += 1
        let entry = makeEntry(lastNumber)
        entries.append(entry)
        return entry
    }

    /// Writes down what has become of a push that had to wait, and what it has started.
    /// - Returns: the entry; nil when it is forgotten.
    mutating func settle(
        _ number: Int,
        _ reaction: PhoneActivity.Reaction,
        activityID: Identifier<PhoneActivity>?,
        at now: Moment
    ) -> Entry? {
        let index = number - firstNumber
        guard entries.indices.contains(index) else { return nil }
        entries[index].reaction = reaction
        entries[index].reactedAt = now
        if let activityID { entries[index].activityID = activityID }
        return entries[index]
    }

    /// Counts what one phone made of the newest entry, a broadcast.
    mutating func count(_ reaction: PhoneActivity.Reaction) {
        guard !entries.isEmpty else { return }
        entries[entries.count - 1].reactions?[reaction, default: 0] += 1
    }

    /// The newest entry.
    var last: Entry? { entries.last }

    /// Writes down what has become of a broadcast that had to wait for one phone.
    /// - Returns: the entry; nil when it is forgotten.
    mutating func settleBroadcast(
        _ number: Int,
        from earlier: PhoneActivity.Reaction,
        to reaction: PhoneActivity.Reaction,
        at now: Moment
    ) -> Entry? {
        let index = number - firstNumber
        guard entries.indices.contains(index), var reactions = entries[index].reactions else { return nil }
        let waiting = reactions[earlier, default: 0]
        precondition(waiting > 0, "what waits for a phone is counted as \(earlier)")
        reactions[earlier] = waiting > 1 ? waiting - 1 : nil
        reactions[reaction, default: 0] += 1
        entries[index].reactions = reactions
        entries[index].reactedAt = now
        return entries[index]
    }

    /// At most `limit` entries, from the one that follows `number` (or the oldest that is remembered) on.
    func entries(after number: Int, limit: Int) -> some Collection<Entry> {
        // Any number may be asked for; those beyond the last are followed by nothing.
        let next = min(max(number, 0), lastNumber) + 1
        return entries.dropFirst(max(0, next - firstNumber)).prefix(limit)
    }

    private var firstNumber: Int { lastNumber - entries.count + 1 }
}
