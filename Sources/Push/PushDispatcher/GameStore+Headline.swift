import GameCore
import GameStore
import Logging
import PushRules

extension GameStore {
    /// Returns the last headline among the events of an adventure; the start of the adventure if there is none, or if
    /// an event cannot be decoded.
    func newestHeadline(of stored: StoredAdventure, logger: Logger) async throws -> AdventureEvent {
        let adventureStart = AdventureEvent.adventureStarted(kind: stored.adventure.kind)
        do {
            return try await latestEvent(of: stored, where: \.isHeadline) ?? adventureStart
        } catch let error as StoreError {
            logger.error("the last event of an adventure cannot be decoded", metadata: ["error": "\(error)"])
            return adventureStart
        }
    }
}
