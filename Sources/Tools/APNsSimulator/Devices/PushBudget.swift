import Encodings

/// A budget of pushes: a maximum number within any period of a certain length.
///
/// Apple documents that such budgets exist, but not how they work; a sliding window is the simplest interpretation of
/// "an hour".
struct PushBudget: Sendable {
    /// The maximum number of pushes per period; nil for no limit.
    var limit: Int?
    private let periodSeconds: Int64
    /// The times of the pushes of the last period, oldest first.
    private var spent: [Timestamp] = []

    init(limit: Int?, periodSeconds: Int64) {
        self.limit = limit
        self.periodSeconds = periodSeconds
    }

    /// Spends one push.
    /// - Returns: false when the budget is spent.
    mutating func spend(at now: Timestamp) -> Bool {
        guard let limit else { return true }
        spent.removeFirst(expired(at: now))
        guard spent.count < limit else { return false }
        spent.append(now)
        return true
    }

    /// Returns the remaining number of pushes; nil for no limit.
    func remaining(at now: Timestamp) -> Int? {
        limit.map { max(0, $0 - (spent.count - expired(at: now))) }
    }

    /// Returns the number of pushes that are older than the period, by binary search.
    private func expired(at now: Timestamp) -> Int {
        var range = spent.indices
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = isExpired(spent[middle], at: now) ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    private func isExpired(_ time: Timestamp, at now: Timestamp) -> Bool {
        now.epochSeconds - time.epochSeconds >= periodSeconds
    }
}
