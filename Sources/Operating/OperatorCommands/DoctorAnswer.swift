import CommandLineSupport
import Foundation

/// One thing that was looked at.
struct DoctorLine: Codable, Hashable {
    /// How it is; a newer server may say something else.
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

/// The answer to `GET /admin/v1/doctor`.
struct DoctorAnswer: Decodable {
    /// By the server's clock.
    let at: Moment
    let checks: [DoctorLine]
}

/// Everything that was looked at, here and at the server.
struct DoctorReport: Encodable {
    /// Whether nothing is wrong.
    let healthy: Bool
    let checks: [DoctorLine]

    init(_ checks: [DoctorLine]) {
        self.checks = checks
        healthy = !checks.contains { $0.status == .failed }
    }

    /// One object: `{checks: [{finding, name, remedy?, status}], healthy}`.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    func lines(fitting width: Int?) -> [String] {
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

extension DoctorLine {
    /// So much may the clocks of operator and server differ: times are shown, not computed with.
    static let toleratedClockDifference = 5.0

    /// The way to the server, which has answered.
    /// - Parameters:
    ///   - server: its address.
    ///   - seconds: how long that took; nil where a line of its own says what became of the request.
    /// - Returns: a line for each part of it.
    static func way(to server: URL, took seconds: Double?) -> [Self] {
        let host = server.host() ?? ""
        let isLocal = host == "localhost" || host == "::1" || host.hasPrefix("127.")
        let reached =
            seconds.map { [Self("server", .ok, "\(server.absoluteString) answers within \(Int($0 * 1_000)) ms.")] }
            ?? []
        guard server.scheme != "https" else {
            return reached + [Self("TLS", .ok, "The certificate of \(host) is trusted.")]
        }
        guard !isLocal else { return reached + [Self("TLS", .ok, "None, and none is needed on this machine.")] }
        return reached + [
            Self(
                "TLS",
                .failed,
                "The operator's token goes to \(host) in the clear.",
                remedy: "Serve by HTTPS (RANGERS_TLS_CERTIFICATE_FILE), or behind a proxy that does."
            )
        ]
    }

    /// A server that did not look: why, and what to do.
    static func failure(to server: URL, _ error: OperatorClientError) -> [Self] {
        switch error {
        case .refused(let problem) where problem.isOutOfDatabase:
            [
                Self(
                    "server",
                    .failed,
                    "It cannot ask its database, and so lets nobody in whom it has not let in within the last hour. It says: "
                        + Sentence.ended(Printable.text(problem.title ?? "")),
                    remedy: "Mend the database first: is PostgreSQL up, does it answer, and does the server reach it?"
                )
            ] + way(to: server, took: nil)
        case .refused(let problem):
            [Self("server", .failed, Sentence.ended(error.explanation), remedy: remedy(for: problem))]
                + way(to: server, took: nil)
        case .silent, .unreachable, .notUnderstood, .wrongUsage, .notReady:
            [Self("server", .failed, Sentence.ended(error.explanation))]
        }
    }

    /// What to do about a server that refuses to look.
    private static func remedy(for problem: Problem) -> String {
        switch problem.status {
        case 401, 403:
            """
            Set RANGERS_OPERATOR_TOKEN, or the file that --token-file names, to a token of this server's that is not revoked \
            and has not expired; 'rangersd operator create' makes one.
            """
        case 404: "See that --server or RANGERS_SERVER names a rangersd with the role api, and none older than this."
        default: "Try again in a while; if it stays, look at the server's log."
        }
    }

    /// What only the server could have looked at, each by the name that it has otherwise.
    static func unseen(after error: OperatorClientError) -> [Self] {
        let isOutOfDatabase = if case .refused(let problem) = error { problem.isOutOfDatabase } else { false }
        return ["database", "dispatchers", "unsent changes", "APNs"].map { name in
            Self(
                name,
                .skipped,
                "Not looked at: \(isOutOfDatabase ? "the server could not tell who asks" : "only the server can").",
                remedy: name == "APNs" && isOutOfDatabase
                    ? "Whoever asked this node within the last hour is told; its log and metrics have it, too."
                    : "Mend what the line about the server says, and ask again."
            )
        }
    }

    /// What a server that refuses to look says of itself by `/readyz`.
    static func missing(_ parts: [Problem.FieldError]) -> [Self] {
        parts.map { part in
            Self(
                part.field,
                .failed,
                Sentence.ended(part.reason),
                remedy: "Mend that first, and ask again: the server tells no more."
            )
        }
    }

    /// This machine's clock against the server's, which was read between two moments.
    static func clock(server: Date, before: Date, after: Date) -> Self {
        let middle = before.addingTimeInterval(after.timeIntervalSince(before) / 2)
        let difference = middle.timeIntervalSince(server)
        let certain = max(0, abs(difference) - after.timeIntervalSince(before) / 2)
        // The server tells its time to the second.
        let text = "\(Int(abs(difference).rounded(.up))) s"
        guard certain > toleratedClockDifference else {
            return Self("clock here", .ok, "It is the server's, give or take \(text).")
        }
        return Self(
            "clock here",
            .failed,
            "This machine's clock is \(text) \(difference < 0 ? "behind" : "ahead of") the server's.",
            remedy: "Set it by NTP: 'push curl' signs and stamps by it."
        )
    }
}
