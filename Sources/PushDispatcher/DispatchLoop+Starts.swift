import GameCore
import GameStore
import PushCadence

extension DispatchLoop {
    /// Remembers an adventure that has just started, until the grace of its members' apps is over.
    func observeBeginning(_ record: LogRecord, of followed: FollowedShard) {
        guard
            case .event(.adventureStarted, _) = record.entry,
            surroundings.now() - record.at < PushToStartPolicy.oldestBeginning
        else {
            return
        }
        followed.beginnings.append(record)
    }

    /// Asks for the cards of the adventures whose members' apps have had their time.
    ///
    /// Only asks: what the starts take must not hold up the loop, which has other phones to serve.
    func wishForCards() {
        let now = surroundings.now()
        for followed in shards.values {
            let due = followed.beginnings.prefix { $0.at + settings.policy.pushToStart.grace <= now }
            followed.beginnings.removeFirst(due.count)
            for beginning in due {
                wishes.yield(
                    CardWish(
                        adventureID: beginning.adventureID,
                        occasion: .adventureStarted,
                        wantedAt: beginning.at
                    )
                )
            }
        }
    }

    /// When the next members' apps have had their time.
    var nextCardsAt: Timestamp? {
        let earliest = shards.values.compactMap { $0.beginnings.first?.at }.min()
        return earliest.map { $0 + settings.policy.pushToStart.grace }
    }
}
