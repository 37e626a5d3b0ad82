/// The author of an operator's change, and the request that made it.
public struct AuditAuthor: Sendable, Hashable {
    /// An operator's name, or a program and its system user joined by a colon, which operators' names cannot contain.
    public let name: String
    /// The request's `X-Request-Id`; nil without a request.
    public let requestID: String?

    /// Creates an author from an operator who uses the REST API.
    public init(operator name: String, requestID: String?) {
        self.name = name
        self.requestID = requestID
    }

    /// Creates an author from a program run on a machine with access to the database.
    /// - Parameters:
    ///   - program: the program's name, such as `rangersd`.
    ///   - user: the system user who runs it.
    public init(program: String, user: String) {
        name = "\(program):\(user)"
        requestID = nil
    }
}

/// An operator's action, as a stable identifier for scripts: the object, a dot, the verb.
///
/// An open set, because an older release may read entries written by a newer one.
public struct AuditAction: RawRepresentable, Sendable, Hashable {
    /// The identifier.
    public let rawValue: String

    /// Creates an action from its identifier.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A boss fight was started for a party.
    public static let bossStart = Self(rawValue: "boss.start")
    /// A running adventure was ended.
    public static let adventureEnd = Self(rawValue: "adventure.end")
    /// A party was disbanded.
    public static let partyDisband = Self(rawValue: "party.disband")
    /// A player got another name.
    public static let playerRename = Self(rawValue: "player.rename")
    /// All tokens of a player were revoked.
    public static let playerSignOut = Self(rawValue: "player.signOut")
    /// A page of a player's data was exported.
    public static let playerExport = Self(rawValue: "player.export")
    /// A player was erased.
    public static let playerErase = Self(rawValue: "player.erase")
    /// An operator was created.
    public static let operatorCreate = Self(rawValue: "operator.create")
    /// An operator got a new token, which revoked the previous one.
    public static let operatorRotate = Self(rawValue: "operator.rotate")
    /// An operator's token was revoked.
    public static let operatorRevoke = Self(rawValue: "operator.revoke")
}

/// A change by an operator, before it is written to the audit log.
///
/// Each change is recorded in the transaction that makes it, so there is neither a change without an entry nor an entry
/// without a change:
///
///     try await store.withShard(id.shard) { transaction in
///         … // read, decide, record the change itself
///         transaction.audit(
///             AuditChange(.adventureEnd, of: "adventure/\(id)", before: …, after: …, by: author)
///         )
///     }
///
/// A change that belongs to no shard is recorded in the chain of ``Shard/forOperators``. `store.audit(_:at:)` records a
/// change that has no transaction of its own, such as a push that was sent.
///
/// Entries can never be removed. They must contain no secrets (tokens, keys), and nothing that a player may ask to have
/// erased (names, device tokens). Identifiers are sufficient.
public struct AuditChange: Sendable, Hashable {
    /// The action.
    public let action: AuditAction
    /// The object: its kind, a slash and its identifier, such as `party/01981f6e-…`.
    public let target: String
    /// The facts that the change replaced; nil if there were none.
    public let before: [String: String]?
    /// The facts that hold after the change; nil if there are none.
    public let after: [String: String]?
    /// The author of the change.
    public let author: AuditAuthor

    /// Creates a change.
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
