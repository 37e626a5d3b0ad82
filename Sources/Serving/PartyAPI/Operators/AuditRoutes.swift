import Encodings
import GameCore
import GameStore
import Hummingbird

/// What operators have changed.
struct AuditRoutes: Sendable {
    private static let standardLimit = 50
    private static let largestLimit = 1_000
    /// How many entries one request verifies: a tenth of a second's work.
    private static let verifiedAtOnce = 10_000
    /// How many entries one request names: few enough for a line of a request.
    private static let mostPlaces = 64

    let store: GameStore

    func add(to router: Router<APIContext>, _ gate: Gate) {
        let filters: Set = ["author", "since", "before", "limit"]
        router.get("admin/v1/audit", use: gate.viewer(query: filters, list))
        router.get("admin/v1/audit/verification", use: gate.viewer(query: ["after"], verify))
        router.get("admin/v1/audit/hashes", use: gate.viewer(query: ["places"], hashes))
    }

    private func list(_ call: Call<Operator>) async throws -> Response {
        let limit = try call.number("limit", in: 1...Self.largestLimit, default: Self.standardLimit)
        // One more than asked for tells whether there is a next page.
        let found = try await store.auditEntries(
            by: try call.queryValue("author", "must be the name of an operator", Self.author),
            since: try call.moment("since") ?? Timestamp(epochSeconds: 0),
            before: try call.queryValue("before", "must be 'next' of the page before", AuditPlace.init(cursor:)),
            limit: limit + 1
        )
        let page = found.prefix(limit)
        return try Response(
            json: AuditPage(
                entries: page.map(AuditEntryView.init),
                next: found.count > limit ? page.last.map(AuditPlace.init)?.cursor : nil
            )
        )
    }

    private func verify(_ call: Call<Operator>) async throws -> Response {
        let begin = try call.queryValue(
            "after",
            "must be 'next' of the part before",
            AuditCheckpoint.init(cursor:)
        )
        let part = try await store.verifyAudit(from: begin ?? .beginning, limit: Self.verifiedAtOnce)
        return try Response(json: VerificationView(part))
    }

    private func hashes(_ call: Call<Operator>) async throws -> Response {
        let places = try call.queryValue(
            "places",
            "must be 1 to \(Self.mostPlaces) places such as 7-12, separated by commas"
        ) { text in
            let places = text.split(separator: ",", omittingEmptySubsequences: false)
            let checkpoints = places.compactMap { AuditCheckpoint(cursor: String($0)) }
            return places.count <= Self.mostPlaces && checkpoints.count == places.count ? checkpoints : nil
        }
        let marks = try await store.auditMarks(at: places ?? [])
        return try Response(json: MarksView(hashes: marks.map(AuditMarkView.init)))
    }

    /// Names as `rangersd` takes and makes them, with room for the name of any system's user.
    private static func author(_ text: String) -> String? {
        (1...300).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? text : nil
    }
}

/// A page of the audit log.
private struct AuditPage: Encodable {
    /// The newest first.
    let entries: [AuditEntryView]
    /// What to give as `before` for the next page; nothing when this is the last.
    let next: String?
}

/// An entry of the audit log, as operators see it.
private struct AuditEntryView: Encodable {
    let shard: Int
    let position: Int64
    let at: String
    let author: String
    let action: String
    let target: String
    let before: FactsView?
    let after: FactsView?
    let requestID: String?
    let hash: String

    init(_ entry: AuditEntry) {
        shard = Int(entry.shard.rawValue)
        position = entry.position
        at = entry.at.rfc3339
        author = entry.author.name
        action = entry.action.rawValue
        target = entry.target
        before = entry.before.map(FactsView.init(stored:))
        after = entry.after.map(FactsView.init(stored:))
        requestID = entry.author.requestID
        hash = entry.hashText
    }
}

/// The hashes of some entries.
private struct MarksView: Encodable {
    /// Those that are there.
    let hashes: [AuditMarkView]
}

private struct AuditMarkView: Encodable {
    let shard: Int
    let position: Int64
    let hash: String

    init(_ mark: AuditMark) {
        shard = Int(mark.shard.rawValue)
        position = mark.position
        hash = mark.hashText
    }
}

/// What a part of the walk over the audit log came to.
private struct VerificationView: Encodable {
    struct Fault: Encodable {
        let shard: Int
        let position: Int64
        let kind: String
        let explanation: String
    }

    let entries: Int
    let isIntact: Bool
    let ends: [AuditMarkView]
    let fault: Fault?
    /// What to give as `after` for the next part; nothing when this is the last.
    let next: String?

    init(_ part: AuditVerification) {
        entries = part.entries
        isIntact = part.fault == nil
        ends = part.ends.map(AuditMarkView.init)
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
        case .changed where position == 1: "\(entry) is not as it was written."
        case .changed: "\(entry), or the one before it, is not as it was written."
        case .missing: "\(entry) is missing, and there are later ones."
        case .cutOff: "\(entry) is missing, and so is all that was written after it."
        case .added: "\(entry) is there, and was not written by rangersd."
        case .otherEnd where position == 0:
            "The chain of shard \(shard.rawValue) is empty, and the hash of its end is not that of an empty one: entries were "
                + "removed, or the end was changed."
        case .otherEnd: "\(entry) is in the place of another one that was written."
        }
    }
}

extension AuditPlace {
    fileprivate init(_ entry: AuditEntry) {
        self.init(at: entry.at, shard: entry.shard, position: entry.position)
    }

    /// The place as a page names it: microseconds, shard and position.
    fileprivate var cursor: String { "\(at.microseconds)-\(shard.rawValue)-\(position)" }

    fileprivate init?(cursor: String) {
        let parts = cursor.split(separator: "-", omittingEmptySubsequences: false)
        guard
            parts.count == 3, parts.allSatisfy(\.isNumber),
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

extension AuditCheckpoint {
    /// The place as a part names it: shard and position.
    fileprivate var cursor: String { "\(shard.rawValue)-\(position)" }

    fileprivate init?(cursor: String) {
        let parts = cursor.split(separator: "-", omittingEmptySubsequences: false)
        guard
            parts.count == 2, parts.allSatisfy(\.isNumber), let shard = UInt8(parts[0]), let position = Int64(parts[1])
        else { return nil }
        self.init(shard: Shard(rawValue: shard), position: position)
    }
}

extension Substring {
    /// Whether these are digits and nothing more, a sign included.
    fileprivate var isNumber: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}
