import CommandLineSupport
import Foundation

/// The response to `GET /admin/v1/audit`: a page of the audit log.
struct AuditPageResponse: Decodable, HumanReadable {
    struct Entry: Decodable {
        let at: Date
        let author: String
        let action: String
        let target: String
        let before: [String: String]?
        let after: [String: String]?
        let requestID: String?
    }

    let entries: [Entry]
    let next: String?

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        guard !entries.isEmpty else { return ["No matching entries in the audit log."] }
        let isNarrow = width.map { width in table.lines(fitting: nil).contains { DisplayWidth.of($0) > width } }
        let lines =
            isNarrow == true
            ? entries.flatMap { paragraphs(of: $0, fitting: width, paint) }
            : table.lines(fitting: width, paint: paint)
        return lines + (next.map { ["", "For the next page: --before \(Printable.text($0))"] } ?? [])
    }

    private var table: Table {
        Table(
            [.init("WHEN (UTC)"), .init("WHO"), .init("DID"), .init("TO"), .init("WHAT CHANGED"), .init("REQUEST")],
            rows: entries.map { entry in
                [
                    entry.at.utcText, entry.author, entry.action, entry.target,
                    FieldChanges.text(from: entry.before, to: entry.after), entry.requestID ?? "",
                ]
            }
        )
    }

    /// Returns an entry on several lines, without truncated identifiers.
    private func paragraphs(of entry: Entry, fitting width: Int?, _ paint: Paint) -> [String] {
        let title = Printable.text("\(entry.at.utcText)  \(entry.author)  \(entry.action)")
        let facts = [
            entry.target, FieldChanges.text(from: entry.before, to: entry.after),
            entry.requestID.map { "request \($0)" } ?? "",
        ]
        let lines = facts.filter { !$0.isEmpty }.flatMap { Paragraph(beginning: "  ", text: $0).lines(fitting: width) }
        return [paint.bold(width.map { DisplayWidth.fit(title, into: $0) } ?? title)] + lines
    }
}

/// The response to `GET /admin/v1/audit/verification`: the verification of a part of the audit log, or of several
/// parts.
struct AuditVerificationResponse: Codable, HumanReadable {
    struct Fault: Codable {
        let shard: Int
        let position: Int
        let kind: String
        let explanation: String
    }

    private(set) var entries: Int
    private(set) var isIntact: Bool
    private(set) var ends: [AuditBaseline.End]
    private(set) var fault: Fault?
    private(set) var next: String?

    /// Appends the verification of the following part.
    mutating func append(_ part: Self) {
        entries += part.entries
        isIntact = part.isIntact
        ends += part.ends
        fault = part.fault
        next = part.next
    }

    /// Records a difference from the baseline.
    mutating func append(_ fault: Fault) {
        isIntact = false
        self.fault = fault
    }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        let verdict = isIntact ? paint.green("Intact") : paint.red("Broken")
        if let fault {
            let text = "\(fault.explanation) Valid entries before it: \(entries)."
            return [verdict] + Paragraph(beginning: "", text: text).lines(fitting: width)
        }
        return [
            "\(verdict): \(entries) \(entries == 1 ? "entry is" : "entries are") unchanged.",
            "Digest: \(AuditBaseline(ends).digest)",
        ]
    }
}

/// The response to `GET /admin/v1/audit/hashes`.
struct AuditHashes: Decodable {
    let hashes: [AuditBaseline.End]
}
