import GameCore
import GameStore
import Logging
import PushRules

extension GameStore {
    /// Returns the last event of an adventure that is a headline; the adventureStart of the adventure if none can be decoded.
    func newestHeadline(of stored: StoredAdventure, logger: Logger) async throws -> Event {
        let adventureStart = Event.adventureStarted(kind: stored.adventure.kind)
        do {
            return try await latestEvent(of: stored, where: \.isHeadline) ?? adventureStart
        } catch let error as StoreError {
            logger.error("the last event of an adventure cannot be decoded", metadata: ["error": "\(error)"])
            return adventureStart
        }
    }
}
