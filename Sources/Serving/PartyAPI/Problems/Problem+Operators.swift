import Hummingbird

extension Problem {
    /// The beginning of operators' paths.
    private static let operatorsPath = "/admin/"

    /// The same for whoever sent a request: sentences for players make no sense to operators, who are in no party.
    func told(to request: Request) -> Self {
        guard
            request.uri.path.hasPrefix(Self.operatorsPath),
            let detail = kind.operatorsDetail(reading: [.get, .head].contains(request.method))
        else { return self }
        var problem = self
        problem.detail = detail
        return problem
    }
}

extension Problem.Kind {
    private static let repetition = """
        Try again soon. A change may have been made all the same: sent again with the same key it is made once, as \
        rangersctl does.
        """

    private static let waiting = """
        Most often a row of the database is locked by somebody, and the request has waited for it: 'rangersctl doctor' names the \
        sessions that keep others waiting.
        """

    /// What is wrong and what would be right, for operators; nil where they are told the same as players, or alone are.
    ///
    /// What was `reading` has changed nothing.
    fileprivate func operatorsDetail(reading: Bool) -> String? {
        switch self {
        case .missingToken: "Send an operator's token as bearer; `rangersd operator create` makes one."
        case .invalidToken: "No operator has this token, or it was revoked; `rangersd operator list` shows who has one."
        case .unknownParty: "No party was founded with that identifier, or it was disbanded."
        case .unknownInviteCode: "A new code ends the old one, and a party that was disbanded has none."
        case .unknownAdventure: "No adventure was begun with that identifier."
        case .unknownActivity: "No phone has registered a Live Activity with that identifier."
        case .adventureRunning: "A party has one adventure at a time: end it, or wait until it has ended."
        case .adventureOver: "It has ended."
        case .databaseUnavailable: reading ? "Try again soon." : Self.repetition
        case .tookTooLong: "\(Self.waiting) \(reading ? "Try again soon." : Self.repetition)"
        default: nil
        }
    }
}
