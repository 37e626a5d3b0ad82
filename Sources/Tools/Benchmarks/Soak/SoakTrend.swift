/// How a figure has gone over a long run.
struct SoakTrend: Encodable, Hashable, Sendable {
    /// With fewer samples a quarter is no quarter.
    static let fewestSamples = 8

    /// Medians of the quarters, by time.
    let firstQuarter: Double
    let secondQuarter: Double
    let thirdQuarter: Double
    let lastQuarter: Double
    /// Of the straight line that fits best, by the least squares.
    let slopePerHour: Double

    /// The trend of a figure, nil when there are too few samples.
    /// - Parameter samples: in the order of time.
    init?(of samples: [SoakSample]) {
        guard samples.count >= Self.fewestSamples else { return nil }
        let quarters = (0..<4).map { quarter in
            samples[samples.count * quarter / 4..<samples.count * (quarter + 1) / 4].map(\.value)
        }
        firstQuarter = Self.median(of: quarters[0])
        secondQuarter = Self.median(of: quarters[1])
        thirdQuarter = Self.median(of: quarters[2])
        lastQuarter = Self.median(of: quarters[3])
        slopePerHour = Self.slope(of: samples) * 3_600
    }

    /// In the order of time.
    var quarters: [Double] { [firstQuarter, secondQuarter, thirdQuarter, lastQuarter] }

    /// Of some numbers, at least one; between the two in the middle, where there are two.
    private static func median(of numbers: [Double]) -> Double {
        let sorted = numbers.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// A second's growth.
    private static func slope(of samples: [SoakSample]) -> Double {
        let count = Double(samples.count)
        let meanTime = samples.reduce(0) { $0 + $1.atSeconds } / count
        let meanValue = samples.reduce(0) { $0 + $1.value } / count
        var (covariance, variance) = (0.0, 0.0)
        for sample in samples {
            covariance += (sample.atSeconds - meanTime) * (sample.value - meanValue)
            variance += (sample.atSeconds - meanTime) * (sample.atSeconds - meanTime)
        }
        return variance > 0 ? covariance / variance : 0
    }
}

/// A figure at a moment.
struct SoakSample: Encodable, Hashable, Sendable {
    /// Since the run began.
    let atSeconds: Double
    let value: Double
}
