import Cryptography

/// The ends of the audit log's chains, to be kept where the database's owner cannot write.
///
/// A line for each chain that has entries, `SHARD POSITION HASH`, by shard, and a last one with how many chains and entries they
/// are, so that a file that was cut off is none. Each hash covers all entries before it, so that these few lines tell for
/// ever whether the log still is the one that they were made of, however much it has grown.
struct KeptAudit: Equatable {
    struct End: Codable, Hashable {
        let shard: Int
        let position: Int
        let hash: String

        /// As the server names the place.
        var place: String { "\(shard)-\(position)" }
    }

    let ends: [End]

    /// Some ends, in any order.
    init(_ ends: [End]) {
        self.ends = ends.sorted { $0.shard < $1.shard }
    }

    /// Reads what ``text`` has written.
    /// - Returns: nil when it is something else.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(2)
        let ends = lines.compactMap { line -> End? in
            guard
                let match = line.wholeMatch(of: /([0-9]{1,3}) ([0-9]{1,15}) ([0-9a-f]{64})/),
                let shard = UInt8(match.output.1), let position = Int(match.output.2), position > 0
            else { return nil }
            return End(shard: Int(shard), position: position, hash: String(match.output.3))
        }
        self.init(ends)
        // What else there is was not written by this, and two chains of a shard are none.
        guard self.text == text, Set(ends.map(\.shard)).count == ends.count else { return nil }
    }

    /// How many entries there are, or were.
    var entries: Int { ends.map(\.position).reduce(0, +) }

    /// `2 chains, 11 entries`.
    var size: String {
        "\(ends.count) \(ends.count == 1 ? "chain" : "chains"), \(entries) \(entries == 1 ? "entry" : "entries")"
    }

    /// What a file has; the same log gives the same bytes.
    var text: String { ends.map { "\($0.shard) \($0.position) \($0.hash)\n" }.joined() + "\(size)\n" }

    /// SHA-256 of ``text``, as `sha256sum` prints it for the file: short enough for a note.
    var digest: String { SHA256.hex(of: Array(text.utf8)) }

    /// Holds what was kept against what the log has at the same places.
    /// - Parameter found: those of the places that are there.
    /// - Returns: the first place at which the log is another one; nil when there is none.
    func fault(against found: [End]) -> AuditVerdict.Fault? {
        let hashes = Dictionary(found.map { ($0.place, $0.hash) }, uniquingKeysWith: { first, _ in first })
        for end in ends {
            let entry = "Entry \(end.position) of shard \(end.shard)"
            guard let hash = hashes[end.place] else {
                return AuditVerdict.Fault(
                    shard: end.shard,
                    position: end.position,
                    kind: "lost",
                    explanation: "\(entry) is not there any more, and was when the log was kept."
                )
            }
            guard hash == end.hash else {
                return AuditVerdict.Fault(
                    shard: end.shard,
                    position: end.position,
                    kind: "replaced",
                    explanation: "\(entry), or one before it, is another one than when the log was kept."
                )
            }
        }
        return nil
    }
}
