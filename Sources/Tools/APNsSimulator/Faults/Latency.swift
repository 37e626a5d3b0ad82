import Foundation

/// How long answers take.
enum Latency: Equatable, Sendable {
    /// All take as long.
    case constant(milliseconds: Int)
    /// Any time between the two is as likely as the next.
    case uniform(ClosedRange<Int>)
    /// Most are short and a few are long; the mean.
    case exponential(meanMilliseconds: Int)

    /// No answer takes longer: a sender has given up by then.
    static let longestMilliseconds = 60_000

    /// How long the next answer takes.
    func draw(using generator: inout SeededGenerator) -> Duration {
        let milliseconds =
            switch self {
            case .constant(let milliseconds): Double(milliseconds)
            case .uniform(let range): Double(range.lowerBound) + generator.nextFraction() * Double(range.count - 1)
            case .exponential(let mean): -Double(mean) * log(1 - generator.nextFraction())
            }
        return .milliseconds(min(Int(milliseconds.rounded()), Self.longestMilliseconds))
    }
}
