import Encodings
package import GameCore
import GameLog
import PushCadence
import PushRules

// Ordinary alerts for members whose devices do not show the adventure.
//
// Only adventures are concerned of which a member has a device with an alert token; their rows say so. They are followed
// without activities, too.

extension ShardFollower {
    /// Notes that a member of an adventure has a device with an alert token.
    package mutating func noteAlertDevices(of id: AdventureID) {
        if let known = adventures[id] {
            known.hasAlertDevices = true
        } else {
            adventuresToAlert.insert(id)
        }
    }

    /// Asks for the devices of a player who joins an adventure of which no member is known to have one with an alert token.
    func observeJoin(_ entry: LogEntry, _ context: inout FollowerContext) {
        guard case .input(.join(let hero)) = entry.content, let id = entry.adventureID, !isLeaving,
            adventures[id]?.hasAlertDevices != true
        else { return }
        context.effects.append(.findAlertDevices(id, hero.playerID))
    }

    /// Requests the ordinary alerts of events that happened together: for each player the heaviest one that no later event
    /// has cancelled.
    mutating func requestFallback(
        after events: some Collection<StoredEvent>,
        in adventure: FollowedAdventure,
        isRepeated: Bool = false,
        _ context: inout FollowerContext
    ) {
        guard adventure.hasAlertDevices, !isLeaving, !context.isDraining else { return }
        let now = context.now
        // The first moment is that of the start, whose alert waits for the activities that are started.
        let recent = events.filter { $0.at > adventure.stored.startedAt && now - $0.at < FallbackRequest.maxAge }
        guard let oldest = recent.first else { return }
        let state = adventure.stored.adventure
        let usefulTime = context.settings.policy.policy.alertExpiry
        var alerts: [FallbackRequest.Alert] = []
        for (seat, hero) in state.heroes.enumerated() {
            let heaviest = state.heaviestAlert(
                after: recent,
                for: Seat(rawValue: seat),
                playerNames: adventure.playerNames
            )
            guard let (alert, event) = heaviest else { continue }
            // The deadline is later than the clock, so the turn is the newest one.
            let turnEnds = alert.kind == .ownTurn ? adventure.stored.turnDueAt : nil
            alerts.append(
                FallbackRequest.Alert(
                    playerID: hero.playerID,
                    alert: alert,
                    sequence: event.sequence,
                    usefulUntil: turnEnds ?? event.at + usefulTime
                )
            )
        }
        guard !alerts.isEmpty else { return }
        let live = adventure.activities.filter { $0.terminalState == .live || $0.terminalState == .ended }
        let request = FallbackRequest(
            adventureID: adventure.id,
            at: oldest.at,
            alerts: alerts,
            covered: Set(live.map { DeviceKey($0.activity) }),
            // A follower that may have lost its lease skips registrations that another one has acknowledged since.
            isRepeated: isRepeated || context.uptime >= context.sendUntil
        )
        context.effects.append(.alert(request))
    }
}

extension Adventure {
    /// Returns the heaviest ordinary alert of some events for the player at a seat, with its event; nil if there is none.
    fileprivate func heaviestAlert(
        after events: [StoredEvent],
        for seat: Seat,
        playerNames: [PlayerID: String]
    ) -> (alert: PushAlert, event: StoredEvent)? {
        var waiting: [(alert: PushAlert, event: StoredEvent)] = []
        guard !heroes[seat.rawValue].hasLeft else { return nil }
        for event in events {
            let rule = PushRules.rule(for: event.event, after: self, receiver: seat, playerNames: playerNames)
            waiting.removeAll { (alert, _) in
                rule.cancels.contains(alert.kind) || rule.endsActivity && !alert.kind.announcesOutcome
            }
            if let alert = rule.alert, alert.kind.hasFallback { waiting.append((alert, event)) }
        }
        // Of alerts of one weight, the newest.
        return waiting.reversed().max { $0.alert.kind.weight < $1.alert.kind.weight }
    }
}
