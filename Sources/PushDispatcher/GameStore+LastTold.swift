import GameCore
import GameStore
import Logging
import PushRules

extension GameStore {
    /// The last event of an adventure that a card should tell; its beginning when none can be read.
    func lastTold(of stored: StoredAdventure, logger: Logger) async throws -> Event {
        let beginning = Event.adventureStarted(kind: stored.adventure.kind)
        let newest = stored.adventure.sequence
        var reach = 16
        while true {
            let events: [StoredEvent]
            do {
                events = try await self.events(of: stored.id, after: max(0, newest - reach), limit: reach)
            } catch let error as StoreError {
                logger.error("an adventure's last event cannot be read", metadata: ["error": "\(error)"])
                return beginning
            }
            if let told = events.last(where: { $0.event.isTold }) { return told.event }
            guard reach < newest else { return beginning }
            reach *= 4
        }
    }
}
