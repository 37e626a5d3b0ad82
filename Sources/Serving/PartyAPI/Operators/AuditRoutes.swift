import Encodings
import GameCore
import GameStore
import HTTPServing
import Hummingbird

/// The routes of the audit log.
struct AuditRoutes: Sendable {
    private static let defaultLimit = 50
    private static let maxLimit = 1_000
    /// The maximum number of entries that one request verifies, which takes about a tenth of a second.
    private static let maxVerified = 10_000
    /// The maximum number of positions in one request, so that the request line stays short.
    private static let maxPositions = 64

    let store: GameStore

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        let filters: Set = ["author", "since", "before", "limit"]
        router.get("admin/v1/audit", use: authenticator.viewer(query: filters, list))
        router.get("admin/v1/audit/verification", use: authenticator.viewer(query: ["after"], verify))
        router.get("admin/v1/audit/hashes", use: authenticator.viewer(query: ["positions"], hashes))
    }

    private func list(_ request: APIRequest<Operator>) async throws -> Response {
        let limit = try request.number("limit", in: 1...Self.maxLimit, default: Self.defaultLimit)
        // One more entry than the page holds shows whether there is a next page.
        let found = try await store.auditEntries(
            by: try request.queryValue("author", "must be the name of an operator", Self.author),
            since: try request.timestamp("since") ?? Timestamp(epochSeconds: 0),
            before: try request.queryValue("before", "must be 'next' of the previous page", AuditCursor.init(cursor:)),
            limit: limit + 1
        )
        let page = found.prefix(limit)
        return try Response(
            json: AuditPage(
                entries: page.map(AuditEntryView.init),
                next: found.count > limit ? page.last.map(AuditCursor.init)?.cursor : nil
            )
        )
    }

    private func verify(_ request: APIRequest<Operator>) async throws -> Response {
        let begin = try request.queryValue(
            "after",
            "must be 'next' of the previous part",
            AuditPosition.init(cursor:)
        )
        let part = try await store.verifyAudit(from: begin ?? .beginning, limit: Self.maxVerified)
        return try Response(json: VerificationView(part))
    }

    private func hashes(_ request: APIRequest<Operator>) async throws -> Response {
        let positions = try request.queryValue(
            "positions",
            "must be 1 to \(Self.maxPositions) positions such as 7-12, separated by commas"
        ) { text in
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            let positions = parts.compactMap { AuditPosition(cursor: String($0)) }
            return parts.count <= Self.maxPositions && positions.count == parts.count ? positions : nil
        }
        let marks = try await store.auditEntryHashes(at: positions ?? [])
        return try Response(json: AuditHashesView(hashes: marks.map(AuditHashView.init)))
    }

    /// Returns an author's name if it is well-formed.
    ///
    /// The name is an operator's, or one that `rangersd` composes with the name of a system user.
    private static func author(_ text: String) -> String? {
        (1...300).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? text : nil
    }
}

/// A page of the audit log.
private struct AuditPage: Encodable {
    /// The entries, newest first.
    let entries: [AuditEntryView]
    /// The value of `before` for the next page; nil if this is the last.
    let next: String?
}

/// An entry of the audit log as operators see it.
private struct AuditEntryView: Encodable {
    let shard: Int
    let position: Int64
    let at: String
    let author: String
    let action: String
    let target: String
    let before: AuditFactsView?
    let after: AuditFactsView?
    let requestID: String?
    let hash: String

    init(_ entry: AuditEntry) {
        shard = Int(entry.shard.rawValue)
        position = entry.position
        at = entry.at.rfc3339
        author = entry.author.name
        action = entry.action.rawValue
        target = entry.target
        before = entry.before.map(AuditFactsView.init(stored:))
        after = entry.after.map(AuditFactsView.init(stored:))
        requestID = entry.author.requestID
        hash = entry.hashText
    }
}

/// The response to `GET /admin/v1/audit/hashes`.
private struct AuditHashesView: Encodable {
    /// The hashes of the entries that exist.
    let hashes: [AuditHashView]
}

private struct AuditHashView: Encodable {
    let shard: Int
    let position: Int64
    let hash: String

    init(_ mark: AuditEntryHash) {
        shard = Int(mark.shard.rawValue)
        position = mark.position
        hash = mark.hashText
    }
}

/// The result of verifying a part of the audit log.
private struct VerificationView: Encodable {
    struct Fault: Encodable {
        let shard: Int
        let position: Int64
        let kind: String
        let explanation: String
    }

    let entries: Int
    let isIntact: Bool
    let ends: [AuditHashView]
    let fault: Fault?
    /// The value of `after` for the next part; nil if this is the last.
    let next: String?

    init(_ part: AuditVerification) {
        entries = part.entries
        isIntact = part.fault == nil
        ends = part.ends.map(AuditHashView.init)
        fault = part.fault.map { fault in
            Fault(
                shard: Int(fault.shard.rawValue),
                position: fault.position,
                kind: fault.kind.rawValue,
                explanation: fault.explanation
            )
        }
        next = part.next?.cursor
    }
}

extension AuditFault {
    fileprivate var explanation: String {
        let entry = "Entry \(position) of shard \(shard.rawValue)"
        return switch kind {
        case .changed where position == 1: "\(entry) was changed after it was written."
        case .changed: "\(entry), or the one before it, was changed after it was written."
        case .missing: "\(entry) is missing, although later entries exist."
        case .cutOff: "\(entry) is missing, and so are all later entries."
        case .added: "\(entry) was not written by rangersd."
        case .otherEnd where position == 0:
            "The chain of shard \(shard.rawValue) is empty, but its stored end is not: entries were removed, or the end was "
                + "changed."
        case .otherEnd: "\(entry) replaces another entry that was written."
        }
    }
}

extension AuditCursor {
    fileprivate init(_ entry: AuditEntry) {
        self.init(at: entry.at, shard: entry.shard, position: entry.position)
    }

    /// The text of the cursor in requests and responses: microseconds, shard and position.
    fileprivate var cursor: String { "\(at.microseconds)-\(shard.rawValue)-\(position)" }

    fileprivate init?(cursor: String) {
        let parts = cursor.split(separator: "-", omittingEmptySubsequences: false)
        guard
            parts.count == 3, parts.allSatisfy(\.hasOnlyDigits),
            let microseconds = Int64(parts[0]), microseconds < 253_402_300_800_000_000,
            let shard = UInt8(parts[1]), let position = Int64(parts[2])
        else { return nil }
        self.init(
            at: Timestamp(microseconds: microseconds),
            shard: Shard(rawValue: shard),
            position: position
        )
    }
}

extension AuditPosition {
    /// The text of the position in requests and responses: the shard and the position in its log.
    fileprivate var cursor: String { "\(shard.rawValue)-\(position)" }

    fileprivate init?(cursor: String) {
        let parts = cursor.split(separator: "-", omittingEmptySubsequences: false)
        guard
            parts.count == 2, parts.allSatisfy(\.hasOnlyDigits), let shard = UInt8(parts[0]),
            let position = Int64(parts[1])
        else { return nil }
        self.init(shard: Shard(rawValue: shard), position: position)
    }
}

extension Substring {
    /// Whether the text consists of ASCII digits, without a sign.
    fileprivate var hasOnlyDigits: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}
