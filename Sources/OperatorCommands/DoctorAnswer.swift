import Foundation
import RangersCommandLine

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
    static func way(to server: URL, took seconds: Double) -> [Self] {
        let host = server.host() ?? ""
        let isLocal = host == "localhost" || host == "::1" || host.hasPrefix("127.")
        let reached = Self("server", .ok, "\(server.absoluteString) answers within \(Int(seconds * 1_000)) ms.")
        guard server.scheme != "https" else {
            return [reached, Self("TLS", .ok, "The certificate of \(host) is trusted.")]
        }
        guard !isLocal else { return [reached, Self("TLS", .ok, "None, and none is needed on this machine.")] }
        return [
            reached,
            Self(
                "TLS",
                .failed,
                "The operator's token goes to \(host) in the clear.",
                remedy: "Serve by HTTPS (RANGERS_TLS_CERTIFICATE_FILE), or behind a proxy that does."
            ),
        ]
    }

    /// What a server that refuses to look says of itself by `/readyz`.
    static func missing(_ parts: [Problem.FieldError]) -> [Self] {
        parts.map { part in
            Self(part.field, .failed, part.reason, remedy: "Mend that first, and ask again: the server tells no more.")
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
