/// Who changes something as an operator, and in which request.
public struct AuditAuthor: Sendable, Hashable {
    /// An operator's name, or a program and the system's user who runs it: no operator's name has a colon.
    public let name: String
    /// The request's `X-Request-Id`, nil when it was none.
    public let requestID: String?

    /// An operator who asks over REST.
    public init(operator name: String, requestID: String?) {
        self.name = name
        self.requestID = requestID
    }

    /// A program of ours that somebody runs on a machine with access to the database.
    /// - Parameters:
    ///   - program: its name, such as `rangersd`.
    ///   - user: the system's name of the user.
    public init(program: String, user: String) {
        name = "\(program):\(user)"
        requestID = nil
    }
}

/// What an operator did, as a word that scripts can rely on: the thing, a dot, the verb.
///
/// An open set, since an older release reads what a newer one has written.
public struct AuditAction: RawRepresentable, Sendable, Hashable {
    /// The word.
    public let rawValue: String

    /// The action of that word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A boss was set on a party.
    public static let bossStart = Self(rawValue: "boss.start")
    /// A running adventure was ended.
    public static let adventureEnd = Self(rawValue: "adventure.end")
    /// A party was disbanded.
    public static let partyDisband = Self(rawValue: "party.disband")
    /// An operator was created.
    public static let operatorCreate = Self(rawValue: "operator.create")
    /// An operator got a new token, which ended the one before.
    public static let operatorRotate = Self(rawValue: "operator.rotate")
    /// An operator's token was revoked.
    public static let operatorRevoke = Self(rawValue: "operator.revoke")
}

/// What an operator changes, before it is in the audit log.
///
/// Every change of an operator is recorded in the transaction that makes it, so that there is neither a change without
/// an entry nor an entry without a change:
///
///     try await store.withShard(id.shard, at: now()) { transaction in
///         … // read, judge, record the change itself
///         transaction.audit(
///             AuditChange(.adventureEnd, of: "adventure/\(id)", before: …, after: …, by: author)
///         )
///     }
///
/// What belongs to no shard goes into the chain of ``Shard/forOperators``: `store.audit(_:at:)` records a change that
/// has no transaction of its own, such as a push that was sent.
///
/// Entries can never be removed: nothing secret may be in one (no token, no key), and nothing that a player may ask to
/// be forgotten (no name, no token of a phone); identifiers say enough.
public struct AuditChange: Sendable, Hashable {
    /// What was done.
    public let action: AuditAction
    /// To what: its kind, a slash and its identifier, such as `party/01981f6e-…`.
    public let target: String
    /// What was so before and is not any more; nil where there was nothing.
    public let before: [String: String]?
    /// What is so from now on; nil where there is nothing any more.
    public let after: [String: String]?
    /// Who did it.
    public let author: AuditAuthor

    /// A change of something.
    public init(
        _ action: AuditAction,
        of target: String,
        before: [String: String]? = nil,
        after: [String: String]? = nil,
        by author: AuditAuthor
    ) {
        self.action = action
        self.target = target
        self.before = before
        self.after = after
        self.author = author
    }
}
