/// The check of the requests to parties and adventures: whether they are linearizable.
struct HistoryResults: Encodable, Hashable, Sendable {
    /// The outcome of a request.
    enum Kind {
        case done
        case refused
        case unknown
    }

    /// The number of reads that were answered.
    var reads = 0
    /// The number of writes that were answered with success.
    var writes = 0
    /// The number of requests that were refused.
    var refused = 0
    /// The number of writes whose outcome is unknown.
    var unknown = 0
    /// The number of parties and adventures whose versions were checked.
    var objects = 0
    /// The number of parties for whose requests an order was searched.
    var parties = 0
    /// The number of parties whose search was given up.
    var undecided = 0
    /// What contradicts a linearizable history, as sentences.
    var findings: [String] = []

    mutating func count(_ isWrite: Bool, _ outcome: Kind) {
        switch (outcome, isWrite) {
        case (.done, true): writes += 1
        case (.done, false): reads += 1
        case (.refused, _): refused += 1
        case (.unknown, true): unknown += 1
        // A read without a response says nothing.
        case (.unknown, false): break
        }
    }

    /// Whether nothing contradicts a linearizable history of at least one write.
    var holds: Bool { findings.isEmpty && writes > 0 && parties > 0 }

    var description: String {
        "History: \(reads.grouped) reads and \(writes.grouped) writes of \(objects.grouped) parties and adventures, "
            + "\(refused.grouped) refused, \(unknown.grouped) with an unknown outcome; \(parties.grouped) parties "
            + "searched, \(undecided.grouped) of them undecided; \(findings.count.grouped) contradictions"
    }
}
