import CommandLineSupport

/// A page of the audit log.
struct AuditList: Answer {
    struct Entry: Decodable {
        let at: Moment
        let author: String
        let action: String
        let target: String
        let before: [String: String]?
        let after: [String: String]?
        let requestID: String?
    }

    let entries: [Entry]
    let next: String?

    func lines(fitting width: Int?) -> [String] { lines(fitting: width, paint: .none) }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        guard !entries.isEmpty else { return ["No operator has changed anything of that kind."] }
        let isNarrow = width.map { width in table.lines(fitting: nil).contains { DisplayWidth.of($0) > width } }
        let lines =
            isNarrow == true
            ? entries.flatMap { paragraphs(of: $0, fitting: width, paint) }
            : table.lines(fitting: width, paint: paint)
        return lines + (next.map { ["", "There are more: --before \(Printable.text($0))"] } ?? [])
    }

    private var table: Table {
        Table(
            [.init("WHEN (UTC)"), .init("WHO"), .init("DID"), .init("TO"), .init("WHAT CHANGED"), .init("REQUEST")],
            rows: entries.map { entry in
                [
                    entry.at.text, entry.author, entry.action, entry.target, Facts.text(entry.before, entry.after),
                    entry.requestID ?? "",
                ]
            }
        )
    }

    /// An entry below itself: identifiers that are cut off lead nowhere.
    private func paragraphs(of entry: Entry, fitting width: Int?, _ paint: Paint) -> [String] {
        let head = "\(entry.at.text)  \(entry.author)  \(entry.action)"
        let facts = [
            entry.target, Facts.text(entry.before, entry.after), entry.requestID.map { "request \($0)" } ?? "",
        ]
        let lines = facts.filter { !$0.isEmpty }.flatMap { Paragraph(beginning: "  ", text: $0).lines(fitting: width) }
        let title = Printable.text(head)
        return [paint.bold(width.map { DisplayWidth.fit(title, into: $0) } ?? title)] + lines
    }
}

/// What a walk over the audit log came to, or a part of it.
struct AuditVerdict: Answer, Encodable {
    struct Fault: Codable {
        let shard: Int
        let position: Int
        let kind: String
        let explanation: String
    }

    private(set) var entries: Int
    private(set) var isIntact: Bool
    private(set) var ends: [KeptAudit.End]
    private(set) var fault: Fault?
    private(set) var next: String?

    /// Takes in the part that follows.
    mutating func append(_ part: Self) {
        entries += part.entries
        isIntact = part.isIntact
        ends += part.ends
        fault = part.fault
        next = part.next
    }

    /// Takes in that the log is not the one that was kept.
    mutating func append(_ fault: Fault) {
        isIntact = false
        self.fault = fault
    }

    func lines(fitting width: Int?) -> [String] { lines(fitting: width, paint: .none) }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        let verdict = isIntact ? paint.green("Intact") : paint.red("Broken")
        if let fault {
            let text = "\(fault.explanation) Entries that were checked before it, and are good: \(entries)."
            return [verdict] + Paragraph(beginning: "", text: text).lines(fitting: width)
        }
        return [
            "\(verdict): \(entries) \(entries == 1 ? "entry is as it was" : "entries are as they were") written.",
            "Digest: \(KeptAudit(ends).digest)",
        ]
    }
}

/// The answer to `GET /admin/v1/audit/hashes`.
struct AuditMarks: Decodable {
    let hashes: [KeptAudit.End]
}
