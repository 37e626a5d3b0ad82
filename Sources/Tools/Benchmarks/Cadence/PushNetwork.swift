import GameCore

/// The way to APNs and back, by chance: mostly quick, now and then slow, and once in 200 times without success.
struct PushNetwork {
    /// How one request goes.
    struct Course {
        /// Until the answer is there.
        let latency: Duration
        /// Whether APNs answers that it took the push; else the connection broke or APNs was too busy.
        let succeeds: Bool
    }

    private static let firstBackoff = Duration.milliseconds(500)
    private static let longestBackoff = Duration.seconds(60)

    private var draw: Generator

    init(_ draw: Generator) { self.draw = draw }

    /// The next request: 20 to 120 ms, one in a hundred up to 2 s.
    mutating func course() -> Course {
        let isSlow = draw.number(below: 100) == 0
        let latency = isSlow ? draw.duration(from: 120, to: 2_000) : draw.duration(from: 20, to: 120)
        return Course(latency: latency, succeeds: draw.number(below: 200) > 0)
    }

    /// Until the next try after so many failures: exponential with full jitter, as the dispatcher waits.
    mutating func backoff(afterFailures failures: Int) -> Duration {
        let limit = min(Self.firstBackoff * (1 << min(failures - 1, 7)), Self.longestBackoff)
        return draw.duration(from: 0, to: limit / .milliseconds(1))
    }

    /// Until an entry of the log is read: up to 100 ms, the dispatcher's default interval.
    mutating func readingLag() -> Duration { draw.duration(from: 1, to: 100) }

    /// When a card's token changes, counted from the card's start; one card in ten has that happen in its first 20 min.
    mutating func tokenChange() -> Duration? {
        draw.number(below: 10) == 0 ? draw.duration(from: 1_000, to: 20 * 60 * 1_000) : nil
    }

    /// Until the app has registered its new token.
    mutating func registration() -> Duration { draw.duration(from: 300, to: 10_000) }
}

extension Generator {
    /// Some time, to the millisecond, each equally likely.
    mutating func duration(from shortest: Int, to longest: Double) -> Duration {
        .milliseconds(shortest + number(below: Int(longest) - shortest + 1))
    }
}
