import ArgumentParser
import Foundation
import RangersCommandLine

/// `rangersctl doctor`: what is wrong, and what to do about it.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Looks for what is wrong, here and at the server, and says what to do.",
        discussion: """
            The server looks at its database, clocks, dispatchers and what phones have not been told, and pushes to a \
            token that is nobody's, so that APNs says what it thinks of key and topic. Behind a balancer one server \
            answers: ask each by its own address.

            Examples:
              rangersctl doctor
              rangersctl doctor --localization App/Localizable.xcstrings
              rangersctl doctor --json | jq -r '.checks[] | select(.status == "failed") | .remedy'

            Exit status 1 when something is wrong, 3 when the server is not reachable.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The app's String Catalog, to hold against the sentences that this release asks phones to say.",
            valueName: "file"
        )
    )
    var localization: String?

    @OptionGroup var options: ServerOptions

    func run() async throws {
        let client = try options.client()
        var checks: [DoctorLine] = []
        var failure: OperatorClientError?
        let before = Date()
        do throws(OperatorClientError) {
            let body = try await client.get("doctor")
            let after = Date()
            let answer = try client.decode(DoctorAnswer.self, from: body)
            checks += DoctorLine.way(to: client.server, took: after.timeIntervalSince(before))
            checks.append(.clock(server: answer.at.date, before: before, after: after))
            checks += answer.checks
        } catch {
            failure = error
            checks.append(DoctorLine("server", .failed, error.explanation))
        }
        checks.append(try localizationCheck())
        let report = DoctorReport(checks)
        if options.json {
            print(try report.json)
        } else {
            for line in report.lines(fitting: Terminal.columns) { print(line) }
        }
        if let failure { throw failure }
        guard report.healthy else { throw ExitCode.failure }
    }

    private func localizationCheck() throws(OperatorClientError) -> DoctorLine {
        guard let localization else {
            return DoctorLine(
                "localisation",
                .skipped,
                "The app's sentences were not looked at.",
                remedy: "Give the app's String Catalog by --localization."
            )
        }
        do {
            return CatalogCheck.check(try Data(contentsOf: URL(filePath: localization)))
        } catch {
            throw .wrongUsage("the String Catalog \(localization) cannot be read; is it there, and yours?")
        }
    }
}
