public import Encodings
import GameCore
import PushRules

// What the answer to a push settles, and what is owed again.

extension ActivityCadence {
    /// The answer to the push that is under way.
    /// - Parameters:
    ///   - completion: how it went.
    ///   - now: the time.
    ///   - budget: the phone's, which gets back what did not reach it.
    public mutating func completed(_ completion: Completion, at now: Timestamp, refunding budget: inout PhoneBudget) {
        guard let flight else { preconditionFailure("an answer came, and no push is under way") }
        self.flight = nil
        if completion.neverReachedThePhone, flight.push.priority == .high { budget.giveBack() }
        // What an older token got, the phone may never see, and what APNs says of it is not about the new one: all of it
        // is owed to the new one, `end` included.
        if flight.tokenGeneration != tokenGeneration {
            if completion != .accepted { oweAgain(flight, at: now) }
            return
        }
        switch completion {
        case .accepted:
            accept(flight)
        case .retryLater(let delay), .unanswered(let delay):
            oweAgain(flight, at: now)
            notBefore = now + delay
        case .refusedForever:
            refuse(flight, at: now)
        case .tokenDead:
            oweAgain(flight, at: now)
            tokenIsDead = true
            owed = nil
        }
    }

    private mutating func accept(_ flight: Flight) {
        shownThrough = max(shownThrough, flight.through)
        if flight.push.notice == .endsSoon { ageWarning = .shown }
        for alert in flight.alerts where alert.alert.kind.tellsTheEnd {
            hasToldTheEnd = true
            if case .ending(since: alert.position, .adventureOver) = life { isHalfTold = true }
        }
        if flight.isEnd {
            life = .ended
        } else if let owed, owed.latest <= shownThrough, owed.askedAt == nil {
            self.owed = nil
        }
    }

    private mutating func oweAgain(_ flight: Flight, at now: Timestamp) {
        if let state = flight.owed { owe(state) }
        // The newest first, since each is put before the others.
        for alert in flight.alerts.reversed() {
            if let reason = alert.pointless {
                record([alert.dropped(because: reason, at: now)])
            } else {
                record(alerts.putBack(alert, at: now))
            }
        }
    }

    private mutating func refuse(_ flight: Flight, at now: Timestamp) {
        // Refused for good is said once: it would be refused again.
        if flight.push.notice == .endsSoon { ageWarning = .shown }
        if flight.isEnd {
            life = .ended
            record([Drop(subject: .end, position: flight.push.position, moment: now, reason: .refused)])
        } else if !flight.alerts.isEmpty {
            // The alert may be what APNs objects to, so the state is tried without it.
            record(flight.alerts.map { $0.dropped(because: .refused, at: now) })
            if let state = flight.owed { owe(state) }
        } else {
            record([Drop(subject: .state, position: flight.push.position, moment: now, reason: .refused)])
        }
    }
}
