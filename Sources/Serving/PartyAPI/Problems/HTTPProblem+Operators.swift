import HTTPServing
import Hummingbird

extension HTTPProblem {
    /// The prefix of operators' paths.
    static let operatorsPath = "/admin/"

    /// Returns the problem with a detail for the sender of a request: details for players do not fit operators, who are
    /// in no party.
    func adapted(to request: Request) -> Self {
        guard request.uri.path.hasPrefix(Self.operatorsPath) else {
            // Players' requests look up no other player than the caller, so the token belongs to an erased player.
            return kind == .unknownPlayer ? .invalidToken : self
        }
        guard let detail = kind.operatorsDetail(isRead: [.get, .head].contains(request.method)) else { return self }
        var problem = self
        problem.detail = detail
        return problem
    }
}

extension HTTPProblem.Kind {
    private static let repetition = """
        Retry soon. A change may have been made nevertheless; if it is repeated with the same Idempotency-Key, as rangersctl \
        does, it is made only once.
        """

    private static let waiting = """
        Most often the request has waited for a row that another session has locked: 'rangersctl doctor' lists sessions that \
        block others.
        """

    /// Returns the detail for operators; nil if it is the same as for players, or if only operators get the problem.
    /// - Parameter isRead: whether the request only reads.
    /// - Returns: the detail.
    fileprivate func operatorsDetail(isRead: Bool) -> String? {
        switch self {
        case .missingToken:
            "Send an operator's bearer token; `rangersctl operator create` or `rangersd operator create` creates one."
        case .invalidToken:
            """
            The token is unknown, was revoked, or is no operator's: those begin with ero_. An admin makes another one \
            with `rangersctl operator rotate` or `create`.
            """
        case .unknownParty: "No party has this identifier, or the party was disbanded."
        case .unknownInviteCode:
            "No party has this code. A new code replaces the old one, and a disbanded party has none."
        case .unknownAdventure: "No adventure has this identifier."
        case .raidNotFound: "No raid has this identifier: 'rangersctl raid list --ended' lists them."
        case .unknownActivity: "No device has registered a Live Activity with this identifier."
        case .onAdventure: "One of the player's parties is on an adventure: end it, or wait for its end."
        case .adventureRunning: "A party can have one adventure at a time: end it, or wait for its end."
        case .adventureOver: "The adventure has ended."
        case .shardBusy:
            "Another session holds the row of the shard: 'rangersctl doctor' lists sessions that block others. Retry soon."
        case .databaseUnavailable: isRead ? "Retry soon." : Self.repetition
        case .tookTooLong: "\(Self.waiting) \(isRead ? "Retry soon." : Self.repetition)"
        default: nil
        }
    }
}
