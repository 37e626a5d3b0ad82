import Foundation
public import GameCore

/// A refusal as the server words it: `application/problem+json` (RFC 9457).
public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// A field of the request that is not as it must be.
    public struct FieldError: Decodable, Hashable, Sendable {
        /// The field's name in the body, the query or the headers.
        public let field: String
        /// What must be, as a sentence's end: "must be …".
        public let reason: String
    }

    /// What was asked: method and path.
    public let request: String
    /// The HTTP status.
    public let status: Int
    /// What kind of problem it is, for programs.
    public let type: ProblemType
    /// What kind of problem it is, for people.
    public let title: String
    /// What is wrong here and what would be right, in English.
    public let detail: String
    /// Each bad field with what must be different.
    public let errors: [FieldError]
    /// When to come back, where the server says so.
    public let retryAfter: Duration?
    /// Finds the request in the server's log.
    public let requestID: String?

    /// For logs and developers.
    public var description: String {
        let fields = errors.map { "; \($0.field) \($0.reason)" }.joined()
        return "\(request) was refused with \(status) \(type.slug ?? type.rawValue): \(detail)\(fields)"
    }

    /// Reads an answer; who answers without a problem, as proxies do, is taken to mean what the status says.
    init(_ answer: TransportAnswer, body: Data, to request: String) {
        let words = (try? JSONDecoder().decode(Words.self, from: body)) ?? Words()
        self.request = request
        status = answer.status
        type = words.type ?? .none
        title = words.title ?? "HTTP status \(answer.status)"
        detail = words.detail ?? words.title ?? "The answer says no more than its status."
        errors = words.errors ?? []
        // Seconds, as this server writes it; a date, which only others between would write, counts as nothing said.
        retryAfter = answer.header("Retry-After").flatMap { Int($0) }.map { .seconds($0) }
        requestID = answer.header("X-Request-Id")
    }

    private struct Words: Decodable {
        var type: ProblemType?
        var title: String?
        var detail: String?
        var errors: [FieldError]?
    }
}

/// Names a kind of problem: a URI that stays the same whatever the problem's words.
///
/// A type that is not among these is one of a newer server; its status still says whose fault it is.
public struct ProblemType: RawRepresentable, Codable, Hashable, Sendable {
    private static let prefix = "urn:emoji-rangers:problem:"

    /// The URI.
    public let rawValue: String

    /// The type with that URI.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ slug: String) { rawValue = Self.prefix + slug }

    /// What the game has refused.
    public init(_ refusal: Refusal) { self.init(refusal.slug) }

    /// The last part of the URI, such as `party-full`; nil when the type is not of this API.
    public var slug: String? {
        rawValue.hasPrefix(Self.prefix) ? String(rawValue.dropFirst(Self.prefix.count)) : nil
    }

    /// What the game has refused; nil when the problem lies elsewhere.
    public var refusal: Refusal? { Refusal.allCases.first { $0.slug == slug } }

    /// The status says it all (RFC 9457, section 4.2.1).
    public static let none = Self(rawValue: "about:blank")
    /// Everybody whom the party holds is in it.
    public static let partyFull = Self("party-full")
    /// The player is in as many parties as a player can be.
    public static let tooManyParties = Self("too-many-parties")
    /// No party has the invite code.
    public static let unknownInviteCode = Self("unknown-invite-code")
    /// Only the leader may do it.
    public static let leaderOnly = Self("leader-only")
    /// The party has no such member.
    public static let unknownMember = Self("unknown-member")
    /// The party is at another version than the one that was to be changed.
    public static let partyChanged = Self("party-changed")
    /// The party is on an adventure already.
    public static let adventureRunning = Self("adventure-running")
    /// There is no such party, or the player is not in it.
    public static let unknownParty = Self("unknown-party")
    /// There is no such adventure, or the player is not in it.
    public static let unknownAdventure = Self("unknown-adventure")
    /// The player has registered no such activity.
    public static let unknownActivity = Self("unknown-activity")
    /// An activity keeps the value of `frequentPushesEnabled` that it was registered with.
    public static let frequentPushesFixed = Self("frequent-pushes-fixed")
    /// The player has as many live activities of the adventure as there may be.
    public static let tooManyActivities = Self("too-many-activities")
    /// The idempotency key came with another request before.
    public static let idempotencyKeyReused = Self("idempotency-key-reused")
    /// The request came without a token.
    public static let missingToken = Self("missing-token")
    /// Nobody has the token, or not any more: the player has to register anew.
    public static let invalidToken = Self("invalid-token")
    /// Some fields are not as they must be; ``Problem/errors`` says which.
    public static let invalidFields = Self("invalid-fields")
    /// The player, or everybody at the player's address, has sent too much; ``Problem/retryAfter`` says when to come back.
    public static let tooManyRequests = Self("too-many-requests")
    /// The server's database is away for a moment.
    public static let databaseUnavailable = Self("database-unavailable")
    /// The server has failed.
    public static let internalError = Self("internal-error")
}
