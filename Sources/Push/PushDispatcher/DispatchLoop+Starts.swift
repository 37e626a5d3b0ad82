import Encodings
import GameCore
import GameStore
import Logging
import PushCadence
import PushRules
import ServiceRuntime

/// The beginning of an adventure for which cards may have to be started.
struct Beginning {
    let adventureID: AdventureID
    /// Its position in the log.
    let position: Int64
    /// When it was; not in the future, whatever the clock said of the node that wrote it.
    let at: Timestamp
}

extension DispatchLoop {
    /// Remembers an adventure that has just started, until the grace of its members' apps is over.
    func observeBeginning(_ record: LogRecord, of followed: FollowedShard) {
        let now = runtime.now()
        guard
            case .event(.adventureStarted, _) = record.entry,
            now - record.at < settings.policy.pushToStart.oldestBeginning
        else {
            return
        }
        followed.beginnings.append(
            Beginning(adventureID: record.adventureID, position: record.position, at: min(record.at, now))
        )
    }

    /// Asks for the cards of the adventures whose members' apps have had their time.
    ///
    /// Only asks: what the starts take must not hold up the loop, which has other phones to serve.
    func wishForCards() {
        let now = runtime.now()
        var ready: [(shard: Shard, beginning: Beginning)] = []
        for followed in shards.values where !followed.isLeaving {
            let due = followed.beginnings.prefix { $0.at + settings.policy.pushToStart.grace <= now }
            followed.beginnings.removeFirst(due.count)
            ready += due.map { (followed.shard, $0) }
        }
        for (_, beginning) in ready.sorted(by: { ($0.shard, $0.beginning.position) < ($1.shard, $1.beginning.position) }
        ) {
            wish(
                CardWish(
                    adventureID: beginning.adventureID,
                    occasion: .adventureStarted,
                    wantedAt: beginning.at
                )
            )
        }
    }

    /// Asks for cards, unless more was asked for than can be done in time.
    /// - Returns: whether they were asked for.
    @discardableResult
    private func wish(_ wish: CardWish) -> Bool {
        guard case .dropped = wishes.yield(wish) else { return true }
        logger.error("too many cards are asked for: one was not", metadata: ["adventure": "\(wish.adventureID)"])
        return false
    }

    /// Asks for a newer card when the phone has been told that this one ends soon.
    func wishForNewerCard(after push: PlannedPush, to activity: FollowedActivity) {
        guard push.notice == .endsSoon, !activity.hasWishedForNewer else { return }
        // One that is not asked for now is asked for with the next push that says so.
        activity.hasWishedForNewer = wish(
            CardWish(
                adventureID: activity.key.adventureID,
                occasion: .cardEndsSoon(activity.activity),
                wantedAt: runtime.now()
            )
        )
    }

    /// Ends the cards of the same player that said that they end soon: a newer one shows the adventure now.
    func retireCards(olderThan newest: FollowedActivity, in adventure: FollowedAdventure, position: Int64) {
        let now = runtime.now()
        // One that ends soon itself, or had a token before, has but changed its token.
        guard !newest.cadence.isOld(at: now), newest.activity.generation == 1 else { return }
        for activity in adventure.activities.values
        where activity.cadence.isOld(at: now) && PhoneKey(activity.activity) == PhoneKey(newest.activity)
            && activity.activity.registeredAt < newest.activity.registeredAt
        {
            activity.cadence.replaced(position: position, at: now)
        }
    }

    /// When the next members' apps have had their time.
    var nextCardsAt: Timestamp? {
        let earliest = shards.values.filter { !$0.isLeaving }.compactMap { $0.beginnings.first?.at }.min()
        return earliest.map { $0 + settings.policy.pushToStart.grace }
    }
}
