import CommandLineSupport

/// How a long run went.
struct SoakReport: Report {
    static let isAboutSpeed = false

    /// A figure.
    struct Row: Encodable, Hashable, Sendable {
        let figure: String
        let unit: SoakFigure.Unit
        /// Nil when the run was too short to tell.
        let trend: SoakTrend?
        /// Whether it has stopped growing; nil where it need not.
        let isFlat: Bool?
    }

    let seconds: Double
    let parties: Int
    /// Pushes that APNs accepted.
    let pushes: Int
    /// Writes that were answered with success.
    let acknowledged: Int
    /// What retention has removed, by kind.
    let removed: [String: Int]
    let rows: [Row]
    let verdict: Verdict
    /// What else was not as it must be.
    let complaints: [String]

    func lines(fitting width: Int?) -> [String] {
        let table = Table(
            [
                .init("FIGURE"), .init("UNIT"), .init("FIRST QUARTER", isNumber: true),
                .init("SECOND", isNumber: true), .init("LAST", isNumber: true), .init("PER HOUR", isNumber: true),
                .init("FLAT"),
            ],
            rows: rows.map { row in
                let numbers = row.trend.map { trend in
                    [trend.firstQuarter, trend.secondQuarter, trend.lastQuarter, trend.slopePerHour]
                        .map { NumberText.text($0, digits: 1) }
                }
                let flat = row.isFlat.map { $0 ? "yes" : "NO" } ?? "-"
                return [row.figure, row.unit.title] + (numbers ?? ["-", "-", "-", "-"]) + [flat]
            }
        )
        let work = removed.sorted { $0.key < $1.key }.map { "\(NumberText.text(Double($0.value))) \($0.key)" }
        return table.lines(fitting: width) + [
            "",
            "\(NumberText.text(seconds)) s with \(parties) parties: \(NumberText.text(Double(acknowledged))) writes "
                + "acknowledged, \(NumberText.text(Double(pushes))) pushes accepted.",
            "Load by quarters: \(loadWords).",
            "Removed: \(work.isEmpty ? "nothing" : work.joined(separator: ", ")).",
            "Medians of quarters. Flat: the last is at most 5 % and 8 (MiB, or pieces) above the second; for a table a "
                + "third or 1 MiB, and no more dead rows than live ones, or 5,000.", "",
        ] + verdict.lines(fitting: width) + complaints
    }

    /// What was done in each quarter, so that what grows can be held against it.
    private var loadWords: String {
        let load = [
            SoakFigure.parties(guests: 0), SoakFigure.adventures, SoakFigure.ticks, SoakFigure.pushes,
        ]
        .compactMap { figure -> String? in
            guard let trend = rows.first(where: { $0.figure == figure.name })?.trend else { return nil }
            let quarters = trend.quarters.map { NumberText.text($0, digits: 1) }.joined(separator: ", ")
            return "\(figure.name)\(figure.unit == .perSecond ? " a second" : "") \(quarters)"
        }
        return load.isEmpty ? "too short to tell" : load.joined(separator: "; ")
    }

    /// Refuses a run in which something grew, or did not hold.
    func check() throws(MeasurementFailure) {
        let growing = rows.filter { $0.isFlat == false }.map(\.figure)
        var failures = growing.isEmpty ? [] : ["not flat: \(growing.joined(separator: ", "))"]
        if !verdict.holds { failures.append("the verdict does not hold") }
        if !complaints.isEmpty { failures.append("there are \(complaints.count) complaints") }
        guard failures.isEmpty else { throw MeasurementFailure(failures.joined(separator: "; ")) }
    }
}

extension SoakFigure.Unit {
    /// For people.
    fileprivate var title: String {
        switch self {
        case .mebibytes: "MiB"
        case .count: ""
        case .perSecond: "/s"
        }
    }
}
