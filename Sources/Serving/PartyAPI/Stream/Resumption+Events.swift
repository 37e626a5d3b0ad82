import GameCore
import GameLog

// What a client with this event still needs.

extension Resumption {
    /// Returns whether a client with this event has all events of an adventure that has ended.
    func isLast(of stored: StoredAdventure) -> Bool {
        guard let mark, let digest = stored.digest, let endedAt = stored.endedAt else {
            return sequence >= stored.adventure.sequence
        }
        return sequence == stored.adventure.sequence && mark == StreamEvent.mark(of: digest, at: endedAt)
    }

    /// Returns whether a failover has lost this event: an adventure has another one of its sequence, or none.
    func isLost(from events: [StreamEvent]) -> Bool {
        guard let mark, sequence > 0 else { return false }
        return events.count < sequence || events[sequence - 1].mark != mark
    }
}
