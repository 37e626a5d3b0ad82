import ArgumentParser
import CommandLineSupport
import Foundation

/// `rangersctl doctor`: checks of the server and this machine.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks the server and this machine for problems, and says how to fix them.",
        discussion: """
            The server checks its database, clocks, dispatchers and unsent changes. To check the provider key and the \
            topic, it sends a push with an invalid device token to APNs. A check that cannot be made fails, such as that \
            of APNs without a provider key. While the database is unavailable, the server makes its other checks for \
            operators whom it has authenticated within the last hour, and reports only its readiness (/readyz) to others. \
            Behind a load balancer only one server responds: check each server by its own address.

            The command also checks the translations of all alerts, in the String Catalog of this release and with \
            --localization in the app's.

            Examples:
              rangersctl doctor
              rangersctl doctor --localization App/Localizable.xcstrings
              rangersctl doctor --json | jq -r '.checks[] | select(.status == "failed") | .remedy'

            Exit status 1 if a check fails, 3 if the server is not reachable.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The app's String Catalog, which is checked for the texts of this release's alerts.",
            valueName: "file"
        )
    )
    var localization: String?

    @OptionGroup var options: ServerOptions

    func run() async throws {
        let client = try options.client()
        var checks: [CheckResult] = []
        var failure: OperatorClientError?
        let before = Date()
        do throws(OperatorClientError) {
            let body = try await client.getDiagnosis()
            let after = Date()
            let response = try client.decode(DoctorResponse.self, from: body)
            checks += CheckResult.connection(to: client.server, seconds: after.timeIntervalSince(before))
            checks.append(.clock(server: response.at, before: before, after: after))
            checks += response.checks
        } catch {
            failure = error
            checks += CheckResult.failure(to: client.server, error)
            // `/readyz` needs neither a token nor a database.
            if error.isServerReachable {
                checks += CheckResult.failedReadinessChecks(await client.failedReadinessChecks())
            }
            checks += CheckResult.skippedServerChecks(after: error)
                .filter { skipped in !checks.contains { $0.name == skipped.name } }
        }
        checks.append(CatalogCheck.ownCatalog())
        if let localization { checks.append(CatalogCheck.appCatalog(at: localization)) }
        let report = DoctorReport(checks)
        if options.json {
            print(try report.sortedJSON)
        } else {
            for line in report.lines(fitting: Terminal.columns) { print(line) }
        }
        if let failure { throw failure }
        guard report.healthy else { throw ExitCode.failure }
    }
}
