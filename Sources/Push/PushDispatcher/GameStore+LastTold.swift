import GameCore
import GameStore
import Logging
import PushRules

extension GameStore {
    /// The last event of an adventure that a card should tell; its beginning when none can be read.
    func lastTold(of stored: StoredAdventure, logger: Logger) async throws -> Event {
        let beginning = Event.adventureStarted(kind: stored.adventure.kind)
        do {
            return try await newestEvent(of: stored, where: \.isTold) ?? beginning
        } catch let error as StoreError {
            logger.error("an adventure's last event cannot be read", metadata: ["error": "\(error)"])
            return beginning
        }
    }
}
