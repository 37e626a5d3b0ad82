import Encodings
import GameCore
import GameLog
import GameStore
import Logging
import PushDispatch
import RangersMetrics
import ServiceRuntime

// Ordinary alerts for devices that do not show an adventure.

extension DispatchLoop {
    /// The interval between looks for live adventures of which a member has registered the first alert token.
    private static let alertLookInterval = Duration.seconds(60)
    /// How much further back each look goes, for clocks that differ and shards that were acquired since.
    private static let alertLookMargin = Duration.seconds(120)

    /// Has an adventure followed, since a member has a device with an alert token.
    ///
    /// If this node has lost the lease, the next holder reads it from the adventure's row.
    func noteAlertDevices(of id: AdventureID) {
        guard let leased = shards[id.shard] else { return }
        leased.follower.noteAlertDevices(of: id)
        guard leased.follower.adventuresToAlert.contains(id) else { return }
        // At once, even if the row of the shard does not change.
        leased.followed = nil
        wakeSignal.notify()
    }

    /// Looks now and then for adventures that were marked without this node: their members have registered their first
    /// alert tokens since the start, or another node has held the shard.
    func findAlertDevices() async {
        guard runtime.uptime() >= alertLookDueAt, !shards.isEmpty else { return }
        alertLookDueAt = runtime.uptime() + Self.alertLookInterval
        let moment = presence.now - Self.alertLookInterval - Self.alertLookMargin
        await reporting("adventures with devices for alerts could not be read") {
            let ids = try await store.liveAdventures(of: shards.keys.sorted(), markedAfter: moment)
            for id in ids { noteAlertDevices(of: id) }
        }
    }

    /// Enqueues work for ordinary alerts, unless the queue is full.
    func enqueue(_ work: AlertWork) {
        guard case .dropped = alertWork.yield(work) else { return }
        metrics.fallbackAlerts.add(to: .dropped)
        logger.error(
            "ordinary alerts of an adventure were dropped: the queue is full",
            metadata: ["adventure": "\(work.adventureID)"]
        )
    }
}

/// Work for ordinary alerts, which needs the database and APNs.
enum AlertWork: Sendable {
    /// Have an adventure followed if a player who has joined has a device with an alert token.
    case findDevices(AdventureID, PlayerID)
    /// Send alerts.
    case send(FallbackRequest)

    var adventureID: AdventureID {
        switch self {
        case .findDevices(let id, _): id
        case .send(let request): request.adventureID
        }
    }
}
