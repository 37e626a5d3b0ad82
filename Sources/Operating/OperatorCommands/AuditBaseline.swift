import Cryptography

/// The ends of the audit log's hash chains, saved where the owner of the database cannot write.
///
/// The file has one line for each nonempty chain, `SHARD POSITION HASH`, sorted by shard. Its last line has the numbers
/// of chains and entries, so that a truncated file is detected. Each hash covers all earlier entries of its chain:
/// these few lines prove later that the log still contains all entries, however much it has grown.
struct AuditBaseline: Equatable {
    struct End: Codable, Hashable {
        let shard: Int
        let position: Int
        let hash: String

        /// The position as the server names it.
        var positionText: String { "\(shard)-\(position)" }
    }

    let ends: [End]

    /// Creates a baseline from the ends of the chains, in any order.
    init(_ ends: [End]) {
        self.ends = ends.sorted { $0.shard < $1.shard }
    }

    /// Parses a file that contains ``text``.
    /// - Returns: nil if the file has another content.
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
        // Rejects any other content, and a second chain of a shard.
        guard self.text == text, Set(ends.map(\.shard)).count == ends.count else { return nil }
    }

    /// The number of entries in all chains.
    var entries: Int { ends.map(\.position).reduce(0, +) }

    /// The numbers of chains and entries, such as `2 chains, 11 entries`.
    var size: String {
        "\(ends.count) \(ends.count == 1 ? "chain" : "chains"), \(entries) \(entries == 1 ? "entry" : "entries")"
    }

    /// The content of the file; equal logs have equal contents.
    var text: String { ends.map { "\($0.shard) \($0.position) \($0.hash)\n" }.joined() + "\(size)\n" }

    /// The SHA-256 digest of ``text``, as `sha256sum` prints it for the file.
    var digest: String { SHA256.hex(of: Array(text.utf8)) }

    /// Compares the baseline with the log's current hashes at the same positions.
    /// - Parameter found: the current hashes; an entry that no longer exists has none.
    /// - Returns: the first difference; nil if there is none.
    func fault(against found: [End]) -> AuditVerificationResponse.Fault? {
        let hashes = Dictionary(found.map { ($0.positionText, $0.hash) }, uniquingKeysWith: { first, _ in first })
        for end in ends {
            let entry = "Entry \(end.position) of shard \(end.shard)"
            guard let hash = hashes[end.positionText] else {
                return AuditVerificationResponse.Fault(
                    shard: end.shard,
                    position: end.position,
                    kind: "lost",
                    explanation: "\(entry) is missing, but was present when the baseline was saved."
                )
            }
            guard hash == end.hash else {
                return AuditVerificationResponse.Fault(
                    shard: end.shard,
                    position: end.position,
                    kind: "replaced",
                    explanation: "\(entry), or an earlier one, has changed since the baseline was saved."
                )
            }
        }
        return nil
    }
}
