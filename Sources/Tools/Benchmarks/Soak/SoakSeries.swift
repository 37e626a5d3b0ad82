/// Figures over time.
struct SoakSeries: Sendable {
    /// In the order in which they were first seen.
    private(set) var figures: [SoakFigure] = []
    private var samples: [SoakFigure: [SoakSample]] = [:]

    /// Notes what was read at a moment.
    mutating func note(_ readings: [(figure: SoakFigure, value: Double)], atSeconds seconds: Double) {
        for (figure, value) in readings {
            if samples[figure] == nil { figures.append(figure) }
            samples[figure, default: []].append(SoakSample(atSeconds: seconds, value: value))
        }
    }

    /// How a figure went.
    func samples(of figure: SoakFigure) -> [SoakSample] { samples[figure] ?? [] }

    /// A row for each figure.
    var rows: [SoakReport.Row] {
        let trends = figures.reduce(into: [String: SoakTrend]()) { trends, figure in
            trends[figure.name] = SoakTrend(of: samples(of: figure))
        }
        return figures.map { figure in
            let trend = trends[figure.name]
            return SoakReport.Row(
                figure: figure.name,
                unit: figure.unit,
                trend: trend,
                isFlat: figure.limit.map { limit in trend.map { limit.isKept(by: $0, among: trends) } ?? false }
            )
        }
    }
}
