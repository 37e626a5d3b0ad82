public import GameCore
public import GameStore

extension AuditAction {
    /// An activity was pushed to: `event` says whether it got its newest state, or its end.
    static let activityPush = Self(rawValue: "activity.push")
}

extension GameCommands {
    /// Has a live activity pushed to at once, with its newest state; an operator asks.
    ///
    /// It is asked for through the log, like everything that is pushed: whoever holds the shard's lease sends it, so that
    /// timestamps strictly grow, and no two pushes of one activity are under way.
    /// - Parameters:
    ///   - event: what the push does; an end is for good.
    ///   - id: what the app calls the activity.
    ///   - author: who asks.
    ///   - request: with a key, it is asked for once, and the answer is kept.
    ///   - render: makes the answer of the position of the log that asks for it.
    /// - Returns: the answer.
    /// - Throws: ``CommandError/unknownActivity`` or ``CommandError/activityNotLive``; errors of the store.
    public func push(
        _ event: AskedPush.Event,
        to id: ActivityID,
        by author: AuditAuthor,
        request: RepeatableRequest?,
        answering render: @Sendable (_ position: Int64) throws -> Answer
    ) async throws -> Answer {
        guard let adventureID = try await store.activities(named: id).first?.adventureID else {
            throw CommandError.unknownActivity
        }
        return try await once(request, of: .operator(named: author.name), in: adventureID.shard) { transaction in
            guard
                let activity = try await transaction.activity(id, of: adventureID),
                let stored = try await transaction.adventure(adventureID)
            else { throw CommandError.unknownActivity }
            guard activity.state == .live else { throw CommandError.activityNotLive }
            let position = transaction.ask(for: event, to: id, in: stored)
            let facts = ["adventureID": "\(adventureID)", "event": event.rawValue, "position": "\(position)"]
            transaction.audit(AuditChange(.activityPush, of: "activity/\(id)", after: facts, by: author))
            return try render(position)
        }
    }
}
