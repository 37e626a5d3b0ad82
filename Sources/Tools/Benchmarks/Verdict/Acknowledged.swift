import Encodings
import Foundation
import GameCore

/// What the clients of a run were told, and what was done to the service meanwhile: what its traces are held against.
struct Acknowledged: Sendable {
    /// One request that was to change something.
    struct Write: Sendable {
        /// Such as `POST`.
        let method: String
        /// Such as `/v1/adventures/ID/commands`.
        let path: String
        /// `Idempotency-Key`; nil where the request takes none.
        let key: String?
        /// As it was sent.
        let body: Data
        /// Zero when there was no answer.
        let status: Int
        /// As it came; empty when there was none.
        let answer: Data
        /// When the answer came, or was given up.
        let at: Timestamp
        /// Who asked; nil when it was nobody yet.
        let playerID: PlayerID?
    }

    /// Answered with success, in any order; the same key may be there several times.
    var writes: [Write] = []
    /// Sent and never answered: each of them was carried out or was not.
    var inDoubt: [Write] = []
    /// Cards that nobody looks at any more: swiped away, never registered for certain, or with a token that the service
    /// was never told of for certain.
    var abandoned: Set<ActivityID> = []
    /// How often somebody tried what only members of a party may.
    var trespassAttempts = 0
    /// Those of them that succeeded, as sentences.
    var trespasses: [String] = []
    /// When something went wrong, each time until it was over.
    var disturbances: [ClosedRange<Timestamp>] = []
}
