import Encodings

/// How many pushes of one kind a phone still takes: a number in any period of a length.
///
/// Apple says that there is such a budget and not how it is kept; a sliding window is the plainest reading of "an hour".
struct PushBudget: Sendable {
    /// How many pushes any period has; nil for as many as come.
    var limit: Int?
    private let periodSeconds: Int64
    /// When pushes were taken, the last period's, oldest first.
    private var taken: [Moment] = []

    init(limit: Int?, periodSeconds: Int64) {
        self.limit = limit
        self.periodSeconds = periodSeconds
    }

    /// Takes a push.
    /// - Returns: false when the budget is spent, and nothing is taken.
    mutating func take(at now: Moment) -> Bool {
        guard let limit else { return true }
        taken.removeFirst(expired(at: now))
        guard taken.count < limit else { return false }
        taken.append(now)
        return true
    }

    /// How many more it takes at that time; nil for as many as come.
    func left(at now: Moment) -> Int? {
        limit.map { max(0, $0 - (taken.count - expired(at: now))) }
    }

    /// How many of those taken are over; they are in order, so each look halves them.
    private func expired(at now: Moment) -> Int {
        var range = taken.indices
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = isOver(taken[middle], at: now) ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    private func isOver(_ moment: Moment, at now: Moment) -> Bool {
        now.epochSeconds - moment.epochSeconds >= periodSeconds
    }
}
