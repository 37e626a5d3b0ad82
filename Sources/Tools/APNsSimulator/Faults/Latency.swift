import Foundation

/// A distribution of response delays.
enum Latency: Equatable, Sendable {
    /// A fixed delay.
    case constant(milliseconds: Int)
    /// A uniform distribution over a range of milliseconds.
    case uniform(ClosedRange<Int>)
    /// An exponential distribution with this mean.
    case exponential(meanMilliseconds: Int)

    /// The longest delay: a sender times out before it.
    static let maxMilliseconds = 60_000

    /// Draws the next delay.
    func sample(using generator: inout SplitMix64) -> Duration {
        let milliseconds =
            switch self {
            case .constant(let milliseconds): Double(milliseconds)
            case .uniform(let range): Double(range.lowerBound) + generator.nextFraction() * Double(range.count - 1)
            case .exponential(let mean): -Double(mean) * log(1 - generator.nextFraction())
            }
        return .milliseconds(min(Int(milliseconds.rounded()), Self.maxMilliseconds))
    }
}
