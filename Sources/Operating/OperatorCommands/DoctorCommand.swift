import ArgumentParser
import CommandLineSupport
import Foundation

/// `rangersctl doctor`: what is wrong, and what to do about it.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Looks for what is wrong, here and at the server, and says what to do.",
        discussion: """
            The server looks at its database, clocks, dispatchers and what phones have not been told, and pushes to a \
            token that is nobody's, so that APNs says what it thinks of key and topic. What cannot be looked at is wrong, \
            too: a server without a provider key says so. While the database is away or hangs, \
            whoever asked within the last hour is told of all that does not need it; to others the server says no more than \
            what it misses (/readyz). Behind a balancer one server answers: ask each by its own address.

            The sentences that phones say are looked at in this release's String Catalog, and in the app's if it is given.

            Examples:
              rangersctl doctor
              rangersctl doctor --localization App/Localizable.xcstrings
              rangersctl doctor --json | jq -r '.checks[] | select(.status == "failed") | .remedy'

            Exit status 1 when something is wrong, 3 when the server is not reachable.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The app's String Catalog, to hold against the sentences that this release asks phones to say, too.",
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
            let body = try await client.getDiagnosis()
            let after = Date()
            let answer = try client.decode(DoctorAnswer.self, from: body)
            checks += DoctorLine.way(to: client.server, took: after.timeIntervalSince(before))
            checks.append(.clock(server: answer.at.date, before: before, after: after))
            checks += answer.checks
        } catch {
            failure = error
            checks += DoctorLine.failure(to: client.server, error)
            // What is asked without a token needs no database.
            if error.mayKnowWhatIsMissing { checks += DoctorLine.missing(await client.whatIsMissing()) }
            checks += DoctorLine.unseen(after: error).filter { line in !checks.contains { $0.name == line.name } }
        }
        checks.append(CatalogCheck.ownCatalog())
        if let localization { checks.append(CatalogCheck.appsCatalog(in: localization)) }
        let report = DoctorReport(checks)
        if options.json {
            print(try report.json)
        } else {
            for line in report.lines(fitting: Terminal.columns) { print(line) }
        }
        if let failure { throw failure }
        guard report.healthy else { throw ExitCode.failure }
    }
}
