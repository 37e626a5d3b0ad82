import CommandLineSupport

/// Whether what must be true at all times was true in a run of the real thing (docs/simulation.md has the list).
struct Verdict: Encodable, Sendable {
    /// One of the things that must be true.
    struct Row: Encodable, Sendable {
        /// 1 to 8.
        let invariant: Int
        /// What it says, in short.
        let name: String
        /// How many things it was held against.
        let lookedAt: Int
        /// What these are, such as `entries of the log`.
        let things: String
        /// How often it did not hold.
        let violationCount: Int
        /// How it did not, as sentences; the first ones of many.
        let violations: [String]

        /// Whether it held; where nothing was looked at, nobody knows.
        var holds: Bool { lookedAt > 0 && violationCount == 0 }
    }

    /// In the order of the invariants, each once.
    let rows: [Row]

    /// Whether all of it was true, and each part was looked at.
    var holds: Bool { rows.allSatisfy(\.holds) }

    /// What did not hold, in sentences.
    var violations: [String] {
        rows.flatMap { row in row.violations.map { "invariant \(row.invariant): \($0)" } }
    }

    /// A table, and the violations below it.
    func lines(fitting width: Int?) -> [String] {
        let table = Table(
            [
                .init("INVARIANT", isNumber: true), .init("WHAT"), .init("LOOKED AT", isNumber: true), .init("THINGS"),
                .init("VIOLATIONS", isNumber: true),
            ],
            rows: rows.map { row in
                [
                    "\(row.invariant)", row.name, NumberText.text(Double(row.lookedAt)), row.things,
                    row.lookedAt == 0 ? "not known" : NumberText.text(Double(row.violationCount)),
                ]
            }
        )
        return table.lines(fitting: width)
            + violations
    }
}
