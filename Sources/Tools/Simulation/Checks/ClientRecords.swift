package import GameCore

/// The response to a command with an idempotency key, as a client received it.
package struct ResponseRecord: Sendable {
    /// The adventure of the command.
    package let adventureID: AdventureID
    /// The idempotency key.
    package let key: String
    /// The body of the response.
    package let body: String

    package init(adventureID: AdventureID, key: String, body: String) {
        self.adventureID = adventureID
        self.key = key
        self.body = body
    }
}

/// The history of an activity's tokens on its phone.
///
/// Times are microseconds since the run began.
package struct ActivityRecord: Sendable {
    /// The owner of the phone.
    package let playerID: PlayerID
    /// The times of each token change: when the phone got the token, and when the service confirmed its registration
    /// (nil until then).
    package var tokenChanges: [(from: Int64, until: Int64?)] = []
    /// Whether the phone no longer shows the activity, or the service may never have registered it.
    package var isAbandoned = false

    package init(playerID: PlayerID) {
        self.playerID = playerID
    }
}
