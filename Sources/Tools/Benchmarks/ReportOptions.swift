import ArgumentParser
import CommandLineSupport
import Foundation

/// What every command takes, since each of them ends with a report.
struct ReportOptions: ParsableArguments {
    @Flag(help: "Print one JSON object, for scripts.")
    var json = false

    /// Prints a report: JSON for scripts, lines for people.
    func show<Shown: Report>(_ report: Shown) throws {
        if let warning = Self.warning(about: Shown.self) { StandardError.print(warning) }
        if json {
            print(try Self.json(of: report))
        } else {
            for line in report.lines(fitting: Terminal.columns) {
                print(line)
            }
        }
    }

    /// One object on one line, its keys in order.
    static func json(of report: some Report) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }

    /// What has to be said of such a report in this build; nil when nothing has.
    static func warning(about type: (some Report).Type) -> String? {
        #if DEBUG
        type.isAboutSpeed ? "rangers-bench: a debug build; these figures mean nothing, build with -c release" : nil
        #else
        nil
        #endif
    }
}
