/// The requests that came in, newest last; the oldest are forgotten.
struct PushLog: Sendable {
    /// A header of a request.
    struct Header: Encodable, Equatable, Sendable {
        let name: String
        let value: String
    }

    /// What became of one request.
    struct Entry: Encodable, Sendable {
        /// 1 and up, without gaps.
        let number: Int
        let time: Moment
        /// Whose token it was; absent when it was nobody's.
        let phoneID: Identifier<Phone>?
        let activityID: Identifier<PhoneActivity>?
        /// With a broadcast: where to.
        var channelID: Channel.ID?
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
        let reaction: PhoneActivity.Reaction?
        /// How many more pushes of priority 10 the phone takes within the hour; absent when it takes any number.
        let budgetLeft: Int?
        let alert: ShownAlert?
        /// What went wrong with it on demand: the name of the fault.
        var fault: NewFault.Kind?
        /// As it came, but cut at Apple's limit.
        let payload: String
    }

    private let capacity: Int
    private var entries: [Entry] = []
    private(set) var lastNumber = 0

    /// - Parameter capacity: how many requests are remembered at least, and twice as many at most: with payloads of
    ///   1 KB some 20 MB, with the largest 100.
    init(capacity: Int = 10_000) {
        self.capacity = capacity
    }

    /// Adds an entry, made for the number that it gets.
    mutating func append(_ makeEntry: (_ number: Int) -> Entry) -> Entry {
        // Forgetting many at once keeps the cost of moving the rest small.
        if entries.count >= 2 * capacity { entries.removeFirst(entries.count - capacity + 1) }
        lastNumber += 1
        let entry = makeEntry(lastNumber)
        entries.append(entry)
        return entry
    }

    /// At most `limit` entries, from the one that follows `number` (or the oldest that is remembered) on.
    func entries(after number: Int, limit: Int) -> ArraySlice<Entry> {
        let firstNumber = lastNumber - entries.count + 1
        // Any number may be asked for; those beyond the last are followed by nothing.
        let next = min(max(number, 0), lastNumber) + 1
        return entries.dropFirst(max(0, next - firstNumber)).prefix(limit)
    }
}
