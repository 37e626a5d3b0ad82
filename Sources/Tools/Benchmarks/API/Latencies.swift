/// How long the requests of one run took.
struct Latencies: Sendable {
    private let sorted: [Double]

    /// In milliseconds, at least one.
    init(milliseconds: [Double]) {
        precondition(!milliseconds.isEmpty, "a run has requests")
        sorted = milliseconds.sorted()
    }

    /// The smallest that so many of a hundred do not exceed (the nearest rank).
    func percentile(_ percent: Double) -> Double {
        let rank = (Double(sorted.count) * percent / 100).rounded(.up)
        return sorted[min(max(Int(rank), 1), sorted.count) - 1]
    }
}
