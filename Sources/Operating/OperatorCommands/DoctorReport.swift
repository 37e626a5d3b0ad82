import CommandLineSupport
import Foundation
import RangersClient

/// The result of one check.
struct CheckResult: Codable, Hashable {
    enum Status: String, Codable {
        case ok
        case failed
        case skipped
    }

    let name: String
    let status: Status
    let finding: String
    let remedy: String?

    init(_ name: String, _ status: Status, _ finding: String, remedy: String? = nil) {
        self.name = name
        self.status = status
        self.finding = finding
        self.remedy = remedy
    }
}

/// The response to `GET /admin/v1/doctor`.
struct DoctorResponse: Decodable {
    /// The time of the server's clock.
    let at: Date
    let checks: [CheckResult]
}

/// The results of all checks, of `rangersctl` and of the server.
struct DoctorReport: Encodable, HumanReadable {
    /// Whether no check has failed.
    let healthy: Bool
    let checks: [CheckResult]

    init(_ checks: [CheckResult]) {
        self.checks = checks
        healthy = !checks.contains { $0.status == .failed }
    }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        let widest = checks.map { DisplayWidth.of($0.name) }.max() ?? 0
        return checks.flatMap { check in
            let mark =
                switch check.status {
                case .ok: "ok  "
                case .failed: "FAIL"
                case .skipped: "–   "
                }
            let name = Printable.text(check.name) + String(repeating: " ", count: widest - DisplayWidth.of(check.name))
            let beginning = "\(mark)  \(name)  "
            let blank = String(repeating: " ", count: DisplayWidth.of(beginning))
            return Paragraph(beginning: beginning, text: check.finding).lines(fitting: width)
                + (check.remedy.map { Paragraph(beginning: blank, text: "To do: \($0)").lines(fitting: width) } ?? [])
        }
    }
}

extension CheckResult {
    /// The tolerated difference in seconds between the clocks of operator and server, which matters only for display.
    static let toleratedClockDifference = 5.0

    /// Returns the checks of the connection to a server that has responded.
    /// - Parameters:
    ///   - server: the base URL of the server.
    ///   - seconds: the duration of the request; nil if another check reports the outcome of the request.
    /// - Returns: the results.
    static func connection(to server: URL, seconds: Double?) -> [Self] {
        let host = server.host() ?? ""
        let isLocal = host == "localhost" || host == "::1" || host.hasPrefix("127.")
        let reached =
            seconds.map { [Self("server", .ok, "\(server.absoluteString) responds within \(Int($0 * 1_000)) ms.")] }
            ?? []
        guard server.scheme != "https" else {
            return reached + [Self("TLS", .ok, "The certificate of \(host) is trusted.")]
        }
        guard !isLocal else { return reached + [Self("TLS", .ok, "Not used, and not needed on this machine.")] }
        return reached + [
            Self(
                "TLS",
                .failed,
                "The operator's token is sent to \(host) unencrypted.",
                remedy: "Enable HTTPS (RANGERS_TLS_CERTIFICATE_FILE), or use a reverse proxy with HTTPS."
            )
        ]
    }

    /// Returns the checks for a failed request of the server's diagnosis.
    static func failure(to server: URL, _ error: OperatorClientError) -> [Self] {
        switch error {
        case .problem(let problem) where problem.isDatabaseUnavailable:
            [
                Self(
                    "server",
                    .failed,
                    "It cannot reach its database, and therefore accepts only operators whom it has authenticated within "
                        + "the last hour. It reports: \(Sentence.ended(Printable.text(problem.title)))",
                    remedy: "Fix the database first: does PostgreSQL run, does it respond, and can the server reach it?"
                )
            ] + connection(to: server, seconds: nil)
        case .problem(let problem):
            [Self("server", .failed, Sentence.ended(error.explanation), remedy: remedy(for: problem))]
                + connection(to: server, seconds: nil)
        case .timedOut, .unreachable, .malformedResponse, .wrongUsage, .notReady:
            [Self("server", .failed, Sentence.ended(error.explanation))]
        }
    }

    /// Returns the remedy for a server that rejects the request of its diagnosis.
    private static func remedy(for problem: ServerProblem) -> String {
        switch problem.status {
        case 401, 403:
            """
            Set RANGERS_OPERATOR_TOKEN, or use --token-file, with a token of this server that is not revoked or expired; \
            'rangersd operator create' makes one.
            """
        case 404: "Check that --server or RANGERS_SERVER is a rangersd with the role api, of this version or newer."
        default: "Try again later. If the error persists, check the server's log."
        }
    }

    /// Returns a skipped result for each check that only the server can make, with the same names as the server's.
    static func skippedServerChecks(after error: OperatorClientError) -> [Self] {
        let isDatabaseUnavailable =
            if case .problem(let problem) = error { problem.isDatabaseUnavailable } else { false }
        let reason = isDatabaseUnavailable ? "the server could not authenticate the operator" : "only the server can"
        return ["database", "dispatchers", "unsent changes", "APNs"].map { name in
            Self(
                name,
                .skipped,
                "Not checked: \(reason).",
                remedy: name == "APNs" && isDatabaseUnavailable
                    ? "An operator who has used this node within the last hour can check it; so can its log and metrics."
                    : "Fix the problem of the server, and run this command again."
            )
        }
    }

    /// Returns the results of failed readiness checks from `/readyz`.
    static func failedReadinessChecks(_ checks: [ServerProblem.FieldError]) -> [Self] {
        checks.map { check in
            Self(
                check.field,
                .failed,
                Sentence.ended(check.reason),
                remedy: "Fix this first, and run this command again for the server's other checks."
            )
        }
    }

    /// Returns the comparison of this machine's clock with the server's, which was read between two local times.
    static func clock(server: Date, before: Date, after: Date) -> Self {
        let middle = before.addingTimeInterval(after.timeIntervalSince(before) / 2)
        let difference = middle.timeIntervalSince(server)
        let certain = max(0, abs(difference) - after.timeIntervalSince(before) / 2)
        // Rounded up to the second, because the server may round its time.
        let text = "\(Int(abs(difference).rounded(.up))) s"
        guard certain > toleratedClockDifference else {
            return Self("clock here", .ok, "It differs from the server's by at most \(text).")
        }
        return Self(
            "clock here",
            .failed,
            "This machine's clock is \(text) \(difference < 0 ? "behind" : "ahead of") the server's.",
            remedy: "Synchronize it by NTP: 'push curl' uses it for signatures and timestamps."
        )
    }
}
