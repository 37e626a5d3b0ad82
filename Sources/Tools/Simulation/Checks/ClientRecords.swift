package import GameCore

/// What a client was told of a command that it sent with a key.
package struct AnswerRecord: Sendable {
    /// In which adventure.
    package let adventureID: AdventureID
    /// The idempotency key.
    package let key: String
    /// The answer's body.
    package let body: String

    package init(adventureID: AdventureID, key: String, body: String) {
        self.adventureID = adventureID
        self.key = key
        self.body = body
    }
}

/// What became of a card's tokens on its phone.
///
/// Moments are microseconds since the run began.
package struct CardRecord: Sendable {
    /// Whose phone it is on.
    package let playerID: PlayerID
    /// When the phone had another token, and when the service knew it for certain; nil while it does not.
    package var tokenChanges: [(from: Int64, until: Int64?)] = []
    /// Whether nobody looks at it any more: dismissed, or never registered for certain.
    package var isAbandoned = false

    package init(playerID: PlayerID) {
        self.playerID = playerID
    }
}
