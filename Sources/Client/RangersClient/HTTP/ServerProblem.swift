package import Foundation
public import GameCore

/// An error response of the server, `application/problem+json` (RFC 9457).
public struct ServerProblem: Hashable, Sendable, CustomStringConvertible {
    /// An invalid field of a request.
    public struct FieldError: Decodable, Hashable, Sendable {
        /// The name of the field in the body, the query or the headers.
        public let field: String
        /// The requirement, as the predicate of a sentence about the field: "must be …".
        public let reason: String

        /// Creates a field error.
        package init(field: String, reason: String) {
            self.field = field
            self.reason = reason
        }
    }

    /// The method and path of the request.
    public let request: String
    /// The HTTP status.
    public let status: Int
    /// The type of the problem, for programs.
    public let type: ProblemType
    /// A short English summary of the problem's type.
    public let title: String
    /// An English explanation of this occurrence and its remedy; nil if the response has none.
    public let detail: String?
    /// The invalid fields of the request.
    public let errors: [FieldError]
    /// The delay after which the server asks clients to retry; nil if the response has none.
    public let retryAfter: Duration?
    /// The request identifier, which the server's log contains, too.
    public let requestID: String?

    /// A description for logs and developers.
    public var description: String {
        let fields = errors.map { "; \($0.field) \($0.reason)" }.joined()
        return "\(request) failed with \(status) \(type.slug ?? type.rawValue): \(detail ?? title)\(fields)"
    }

    /// Creates a problem from an error response.
    ///
    /// A response without a problem, such as one of a proxy, becomes a problem of the type ``ProblemType/none``.
    /// - Parameters:
    ///   - status: the HTTP status. The status in the body is only a copy (RFC 9457, section 3.1.2).
    ///   - body: the body of the response.
    ///   - request: the method and path of the request.
    ///   - retryAfter: the value of the header `Retry-After`.
    ///   - requestID: the value of the header `X-Request-Id`.
    package init(
        status: Int,
        body: Data,
        request: String,
        retryAfter: Duration? = nil,
        requestID: String? = nil
    ) {
        let content = (try? JSONDecoder().decode(Content.self, from: body)) ?? Content()
        self.request = request
        self.status = status
        type = content.type ?? .none
        title = content.title ?? "HTTP status \(status) without an explanation"
        detail = content.detail
        errors = content.errors ?? []
        self.retryAfter = retryAfter
        self.requestID = requestID
    }

    init(_ response: TransportResponse, body: Data, request: String) {
        self.init(
            status: response.status,
            body: body,
            request: request,
            // This server sends seconds. An HTTP date, which only an intermediary would send, is ignored.
            retryAfter: response.header("Retry-After").flatMap { Int($0) }.map { .seconds($0) },
            requestID: response.header("X-Request-Id")
        )
    }

    private struct Content: Decodable {
        var type: ProblemType?
        var title: String?
        var detail: String?
        var errors: [FieldError]?
    }
}

/// A type of problem: a URI that stays the same even if the wording of the problem changes.
///
/// Newer servers may send types that are not listed here; the HTTP status still distinguishes client errors from server
/// errors.
public struct ProblemType: RawRepresentable, Codable, Hashable, Sendable {
    private static let prefix = "urn:emoji-rangers:problem:"

    /// The URI.
    public let rawValue: String

    /// Creates a type from its URI.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ slug: String) { rawValue = Self.prefix + slug }

    /// Creates the type for a refusal of the game.
    public init(_ refusal: AdventureRefusal) { self.init(refusal.slug) }

    /// The last part of the URI, such as `party-full`; nil for a type of another API.
    public var slug: String? {
        rawValue.hasPrefix(Self.prefix) ? String(rawValue.dropFirst(Self.prefix.count)) : nil
    }

    /// The refusal of the game; nil for any other problem.
    public var refusal: AdventureRefusal? { AdventureRefusal.allCases.first { $0.slug == slug } }

    /// A problem without a type; only its status is known (RFC 9457, section 4.2.1).
    public static let none = Self(rawValue: "about:blank")
    /// The party is full.
    public static let partyFull = Self("party-full")
    /// The player is in the maximum number of parties.
    public static let tooManyParties = Self("too-many-parties")
    /// No party has the invite code.
    public static let unknownInviteCode = Self("unknown-invite-code")
    /// No party has the spectators' link, or has it any more.
    public static let unknownLink = Self("unknown-link")
    /// One of the player's parties is on an adventure.
    public static let onAdventure = Self("on-adventure")
    /// The profile's version differs from the expected one.
    public static let profileChanged = Self("profile-changed")
    /// No player has the recovery code: it is wrong, used up or replaced.
    public static let unknownRecoveryCode = Self("unknown-recovery-code")
    /// The server has Sign in with Apple off.
    public static let appleSignInOff = Self("apple-sign-in-off")
    /// The server has not got Apple's keys yet; see ``ServerProblem/retryAfter``.
    public static let appleKeysUnavailable = Self("apple-keys-unavailable")
    /// The identity token is invalid, too old or used up: another one is needed.
    public static let invalidIdentityToken = Self("invalid-identity-token")
    /// No player has linked the Apple account.
    public static let unknownAppleAccount = Self("unknown-apple-account")
    /// Another player has linked the Apple account, or the player has linked another one.
    public static let appleAccountTaken = Self("apple-account-taken")
    /// The player has not registered the device.
    public static let unknownDevice = Self("unknown-device")
    /// None of the player's tokens has the identifier.
    public static let unknownToken = Self("unknown-token")
    /// Only the party's leader is allowed to do this.
    public static let leaderOnly = Self("leader-only")
    /// The party has no such member.
    public static let unknownMember = Self("unknown-member")
    /// The party's version differs from the expected one.
    public static let partyChanged = Self("party-changed")
    /// The party is already on an adventure.
    public static let adventureRunning = Self("adventure-running")
    /// The party does not exist, or the player is not a member.
    public static let unknownParty = Self("unknown-party")
    /// The adventure does not exist, or the player is not in it.
    public static let unknownAdventure = Self("unknown-adventure")
    /// No raid has the identifier.
    public static let raidNotFound = Self("raid-not-found")
    /// The raid has not begun yet.
    public static let raidNotStarted = Self("raid-not-started")
    /// The raid is over.
    public static let raidOver = Self("raid-over")
    /// The player has not registered the activity.
    public static let unknownActivity = Self("unknown-activity")
    /// Another player has registered an activity with the same identifier for the adventure.
    public static let activityTaken = Self("activity-taken")
    /// The player has released the activity: it gets no pushes any more, and another one has to be started.
    public static let activityReleased = Self("activity-released")
    /// The value of `frequentPushesEnabled` differs from the one that the activity was registered with.
    public static let frequentPushesFixed = Self("frequent-pushes-fixed")
    /// The player has the maximum number of live activities for the adventure.
    public static let tooManyActivities = Self("too-many-activities")
    /// The idempotency key was used with another request.
    public static let idempotencyKeyReused = Self("idempotency-key-reused")
    /// The request has no token.
    public static let missingToken = Self("missing-token")
    /// The token is unknown or no longer valid; the player needs the recovery code, or has to register again.
    public static let invalidToken = Self("invalid-token")
    /// Some fields of the request are invalid; see ``ServerProblem/errors``.
    public static let invalidFields = Self("invalid-fields")
    /// The rate limit of the player or the address is exceeded; see ``ServerProblem/retryAfter``.
    public static let tooManyRequests = Self("too-many-requests")
    /// The player has used up a daily quota; see ``ServerProblem/retryAfter``.
    public static let quotaExceeded = Self("quota-exceeded")
    /// The server cannot play the adventure: its release is too old, or what is stored is damaged.
    public static let unreadableRecord = Self("unreadable-record")
    /// Another database session holds up writes to the party; nothing was changed.
    public static let shardBusy = Self("shard-busy")
    /// The server's release is too old for the party; another server may not be.
    public static let outdatedNode = Self("outdated-node")
    /// The server cannot reach its database.
    public static let databaseUnavailable = Self("database-unavailable")
    /// The server could not complete the request in time.
    public static let tookTooLong = Self("took-too-long")
    /// The server has failed.
    public static let internalError = Self("internal-error")
}
