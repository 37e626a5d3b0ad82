public import GameCore
public import GameLog
public import GameStore

extension AuditAction {
    /// A push was requested for an activity; `event` is `update` or `end`.
    static let activityPush = Self(rawValue: "activity.push")
}

extension GameCommands {
    /// Requests an immediate push of the newest state to a live activity, on behalf of an operator.
    ///
    /// The request is a log entry: the dispatcher that holds the shard's lease sends the push, so that timestamps
    /// strictly increase and an activity has at most one push in flight.
    /// - Parameters:
    ///   - event: the kind of push; an end is permanent.
    ///   - id: the activity's identifier, chosen by the app.
    ///   - author: the operator.
    ///   - request: the idempotency key, if any.
    ///   - render: the closure that creates the response from the position of the log entry.
    /// - Returns: the response.
    /// - Throws: ``CommandError/unknownActivity`` or ``CommandError/activityNotLive``; errors of the store.
    public func push(
        _ event: RequestedPush.Event,
        to id: ActivityID,
        by author: AuditAuthor,
        request: IdempotentRequest?,
        render: @Sendable (_ position: Int64) throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        guard let adventureID = try await store.activities(named: id).first?.adventureID else {
            throw CommandError.unknownActivity
        }
        return try await withIdempotency(request, of: .operator(named: author.name), in: adventureID.shard) {
            transaction in
            guard let activity = try await transaction.activity(id, of: adventureID) else {
                throw CommandError.unknownActivity
            }
            guard activity.state == .live else { throw CommandError.activityNotLive }
            let position = transaction.requestPush(event, to: id, of: adventureID)
            let facts = ["adventureID": "\(adventureID)", "event": event.rawValue, "position": "\(position)"]
            transaction.audit(AuditChange(.activityPush, of: "activity/\(id)", after: facts, by: author))
            return try render(position)
        }
    }
}
