/// Checks that the versions which requests saw and made are those of a linearizable object.
///
/// It compares each request with those that had been answered before it was sent. ``PartySearch`` checks what versions
/// do not show.
enum HistoryCheck {
    /// A version of an object; each write makes a greater one.
    struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
        let major: Int64
        /// Orders states with the same `major`.
        var minor: Int64 = 0

        static func < (left: Self, right: Self) -> Bool { (left.major, left.minor) < (right.major, right.minor) }

        var description: String { minor == 0 ? "\(major)" : "\(major).\(minor)" }
    }

    /// A request that was answered with success.
    struct Operation: Sendable {
        /// The name in findings.
        let name: String
        /// The moment at which the client sent the request for the first time, since the beginning of the run.
        let invokedAt: Duration
        /// The moment at which the client had read the response.
        let respondedAt: Duration
        /// The version that a read saw or a write made.
        let version: Version
        let isWrite: Bool
        /// The only version that the write was allowed to change; nil for all.
        var expectedVersion: Int64?
        /// The content of that version.
        let content: String
    }

    /// Returns what contradicts a linearizable history, as sentences.
    static func findings(in operations: [Operation], of object: String) -> [String] {
        (conflicts(in: operations) + regressions(in: operations)).map { "\(object): \($0)" }
    }

    /// Returns versions with several writes or contents, and writes to other versions than the expected one.
    private static func conflicts(in operations: [Operation]) -> [String] {
        var findings: [String] = []
        for (version, group) in Dictionary(grouping: operations, by: \.version).sorted(by: { $0.key < $1.key }) {
            let writes = group.filter(\.isWrite)
            if writes.count > 1 {
                findings.append("version \(version) was made by \(writes.map(\.name).joined(separator: " and by "))")
            }
            if let first = group.first, let other = group.first(where: { $0.content != first.content }) {
                findings.append(
                    "version \(version) is '\(first.content)' for \(first.name), and '\(other.content)' for \(other.name)"
                )
            }
        }
        for write in operations {
            guard let expected = write.expectedVersion, write.version.major != expected + 1 else { continue }
            findings.append("\(write.name) made version \(write.version), but might change only version \(expected)")
        }
        return findings
    }

    /// Returns requests whose version is older than one that had been shown before they were sent.
    private static func regressions(in operations: [Operation]) -> [String] {
        var answered = operations.sorted { $0.respondedAt < $1.respondedAt }[...]
        var newest: Operation?
        return operations.sorted { $0.invokedAt < $1.invokedAt }.compactMap { operation in
            while let earlier = answered.first, earlier.respondedAt < operation.invokedAt {
                answered.removeFirst()
                if newest.map({ ($0.version, $0.isWrite ? 1 : 0) < (earlier.version, earlier.isWrite ? 1 : 0) }) ?? true
                {
                    newest = earlier
                }
            }
            guard let newest else { return nil }
            let before = "after version \(newest.version) of \(newest.name)"
            if operation.isWrite {
                return operation.version > newest.version
                    ? nil : "lost update: \(operation.name) made version \(operation.version) \(before)"
            }
            guard operation.version < newest.version else { return nil }
            let kind = newest.isWrite ? "stale read" : "version that went backwards"
            return "\(kind): \(operation.name) saw version \(operation.version) \(before)"
        }
    }
}
