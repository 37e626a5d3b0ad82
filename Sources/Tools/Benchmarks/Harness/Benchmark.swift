import ArgumentParser
import CommandLineSupport

/// A command that measures the game or the service and prints a report.
protocol Benchmark: AsyncParsableCommand {
    /// Whether the report contains speeds, which are meaningless in a debug build.
    static var reportsSpeed: Bool { get }

    var options: ReportOptions { get }

    /// Starts the necessary processes, measures, and stops the processes.
    func measure() async throws -> Report
}

extension Benchmark {
    static var reportsSpeed: Bool { false }

    /// The warning that a report of this build needs; nil for none.
    static var warning: String? {
        #if DEBUG
        reportsSpeed ? "rangers-bench: this is a debug build; its figures mean nothing, build with -c release" : nil
        #else
        nil
        #endif
    }

    func run() async throws { try await runAndPrint() }

    /// Measures and prints the report.
    /// - Throws: ``BenchmarkFailure`` when the measurement fails or the report has failures.
    func runAndPrint() async throws {
        let report = try await measure()
        if let warning = Self.warning { StandardError.print(warning) }
        if options.json {
            print(try report.json)
        } else {
            for line in report.lines(fitting: Terminal.columns) { print(line) }
        }
        try report.check()
    }

    /// Rejects an option with a value outside its range.
    static func check(_ option: String, _ values: Int..., in range: ClosedRange<Int>) throws {
        for value in values where !range.contains(value) {
            throw ValidationError("\(option) must be \(range.lowerBound) to \(range.upperBound), not \(value)")
        }
    }
}

/// The options of every benchmark.
struct ReportOptions: ParsableArguments { @Flag(help: "Print one JSON object, for scripts.") var json = false }

/// The reason why a measurement failed, or why its report has to end the process with status 1.
struct BenchmarkFailure: CommandFailure, Hashable {
    let explanation: String
    let exitStatus = ExitStatus.failed

    init(_ explanation: String) { self.explanation = explanation }
}
