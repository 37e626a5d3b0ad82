import CommandLineSupport

/// How many requests the API answers, beside what HTTP and SQL alone allow.
struct APIReport: Report {
    static let isAboutSpeed = true

    /// One kind of request, each figure the median of its runs.
    struct Row: Encodable, Hashable {
        let request: String
        let perSecond: Double
        let p50Milliseconds: Double
        let p99Milliseconds: Double
        /// Of the recorded answer, from a server without a database.
        let httpPerSecond: Double
        /// Of the statements alone.
        let sqlPerSecond: Double
        /// What both allow together.
        let limitPerSecond: Double
        let ratioToLimit: Double

        init(
            request: String,
            perSecond: Double,
            p50Milliseconds: Double,
            p99Milliseconds: Double,
            httpPerSecond: Double,
            sqlPerSecond: Double
        ) {
            self.request = request
            self.perSecond = perSecond
            self.p50Milliseconds = p50Milliseconds
            self.p99Milliseconds = p99Milliseconds
            self.httpPerSecond = httpPerSecond
            self.sqlPerSecond = sqlPerSecond
            // Both use the same cores, one after the other for each request: times add up, not rates.
            limitPerSecond = 1 / (1 / httpPerSecond + 1 / sqlPerSecond)
            ratioToLimit = perSecond / limitPerSecond
        }
    }

    /// Commands that come at a fixed rate.
    struct Paced: Encodable, Hashable {
        let perSecond: Int
        let p50Milliseconds: Double
        let p99Milliseconds: Double
    }

    let rows: [Row]
    let commands: Paced
    let medianOf: Int

    func lines(fitting width: Int?) -> [String] {
        let table = Table(
            [
                .init("REQUEST"), .init("PER SECOND", isNumber: true), .init("P50 MS", isNumber: true),
                .init("P99 MS", isNumber: true), .init("HTTP ALONE", isNumber: true),
                .init("SQL ALONE", isNumber: true), .init("LIMIT", isNumber: true), .init("RATIO", isNumber: true),
            ],
            rows: rows.map { row in
                [
                    row.request, NumberText.text(row.perSecond), NumberText.text(row.p50Milliseconds, digits: 2),
                    NumberText.text(row.p99Milliseconds, digits: 2), NumberText.text(row.httpPerSecond),
                    NumberText.text(row.sqlPerSecond), NumberText.text(row.limitPerSecond),
                    NumberText.text(row.ratioToLimit, digits: 2),
                ]
            }
        )
        return table.lines(fitting: width) + [
            "",
            "Commands at \(commands.perSecond) a second: p50 \(NumberText.text(commands.p50Milliseconds, digits: 2)) ms, "
                + "p99 \(NumberText.text(commands.p99Milliseconds, digits: 2)) ms, from when each was due.",
            "Each the median of \(medianOf) runs in turns; the limit is what HTTP and SQL allow on the same cores.",
        ]
    }
}

extension APIReport {
    /// Of as many runs of everything.
    init(_ tally: APITally) {
        let rows = APIRequestKind.allCases.compactMap { kind -> Row? in
            guard let runs = tally.ofAPI[kind], let http = tally.ofHTTP[kind], let sql = tally.ofSQL[kind] else {
                return nil
            }
            return Row(
                request: kind.rawValue,
                perSecond: Spread(of: runs.map(\.perSecond)).median,
                p50Milliseconds: Spread(of: runs.map(\.p50Milliseconds)).median,
                p99Milliseconds: Spread(of: runs.map(\.p99Milliseconds)).median,
                httpPerSecond: Spread(of: http).median,
                sqlPerSecond: Spread(of: sql).median
            )
        }
        self.init(
            rows: rows,
            commands: Paced(
                perSecond: APIBench.commandsPerSecond,
                p50Milliseconds: Spread(of: tally.paced.map(\.p50Milliseconds)).median,
                p99Milliseconds: Spread(of: tally.paced.map(\.p99Milliseconds)).median
            ),
            medianOf: APIBench.runs
        )
    }
}
