/// The measurement of `ticks --pinned-snapshot`: the game without, with, and again without a reader's open snapshot.
struct SnapshotRun {
    /// The ratio of the phase with the reader to each of the phases without it.
    private static let pinnedShare = 3
    /// The number of rows for the phase with the reader.
    private static let pinnedRows = 9
    private static let warmUpRounds = 10

    let parties: Int
    /// The duration of the phase with the reader.
    let pinned: Duration

    func measure(_ game: TickGame) async throws -> Report {
        for _ in 0..<Self.warmUpRounds { _ = try await game.play() }
        let start = ContinuousClock.now
        var result = SnapshotResult(parties: parties, pinnedSeconds: pinned / .seconds(1))
        func play(_ phase: SnapshotResult.Phase, for length: Duration) async throws {
            let phaseStart = ContinuousClock.now
            while .now < phaseStart + length {
                let rowStart = ContinuousClock.now
                var cost = TickCost()
                while .now < rowStart + pinned / Self.pinnedRows { cost += try await game.play() }
                result.rows.append((phase, (rowStart - start) / .seconds(1), cost))
            }
        }
        try await play(.before, for: pinned / Self.pinnedShare)
        try await BenchmarkPostgres.whileSnapshotIsPinned(on: game.uri) { try await play(.pinned, for: pinned) }
        try await play(.after, for: pinned / Self.pinnedShare)
        try await game.check()
        return result.report
    }
}

/// The results of all phases.
struct SnapshotResult {
    enum Phase: String, CaseIterable, Sendable { case before, pinned, after }

    let parties: Int
    let pinnedSeconds: Double
    /// The costs of parts of a phase, in order of time, and when each part began.
    var rows: [(phase: Phase, fromSeconds: Double, cost: TickCost)] = []

    /// Returns the ticks per second of a phase; nil without any tick.
    private func ticksPerSecond(_ phase: Phase) -> Double? {
        var cost = TickCost()
        for row in rows where row.phase == phase { cost += row.cost }
        return cost.work.ticks > 0 ? cost.ticksPerSecond : nil
    }

    var report: Report {
        let rates = Phase.allCases.map(ticksPerSecond)
        let ratio = rates[0].flatMap { before in rates[1].map { $0 / before } }
        func text(_ number: Double?, digits: Int = 0) -> String { number?.grouped(digits: digits) ?? "-" }
        var report = Report()
        report.set(["parties": parties, "pinnedSeconds": pinnedSeconds])
        report.set(["ticksPerSecond": rates[0], "pinnedTicksPerSecond": rates[1], "afterTicksPerSecond": rates[2]])
        report.set("pinnedRatio", ratio)
        report.add(
            rows.map { phase, fromSeconds, cost in
                Report.Row(
                    [.text("phase", "PHASE", phase.rawValue), .number("fromSeconds", "FROM S", fromSeconds)]
                        + cost.fields
                )
            },
            as: "rows"
        )
        report.add([
            "\(text(rates[0])) ticks per second before, \(text(rates[1])) with a snapshot of \(text(pinnedSeconds)) s (ratio "
                + "\(text(ratio, digits: 2))), \(text(rates[2])) after it.",
            "Ticks per second are of the time in which the game is played; WAL bytes and µs of CPU time are per tick.",
        ])
        return report
    }
}
