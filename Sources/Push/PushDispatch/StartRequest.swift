package import Encodings
package import GameCore
package import GameLog
package import LiveActivityContent
package import PushCadence
import PushRules

/// A request to start activities of an adventure on the devices of its players that have none.
package struct StartRequest: Sendable {
    /// The occasion of a start.
    package enum Occasion: Sendable {
        /// The adventure has started: every device of its members gets an activity.
        case adventureStarted
        /// This activity has said that it ends soon: its device gets a newer one.
        case activityEndsSoon(Activity)
        /// The adventure is a fight in a raid: each device of its members that asks for it gets an activity of the raid.
        case raidJoined
    }

    package let adventureID: AdventureID
    package let occasion: Occasion
    /// The time of the occasion, from which the age of the request counts.
    package let requestedAt: Timestamp
    /// The trace of the request that started the adventure; nil for another occasion.
    package var trace: TraceCarrier?

    /// Creates a request.
    package init(
        adventureID: AdventureID,
        occasion: Occasion,
        requestedAt: Timestamp,
        trace: TraceCarrier? = nil
    ) {
        self.adventureID = adventureID
        self.occasion = occasion
        self.requestedAt = requestedAt
        self.trace = trace
    }

    /// The request for the activities of the raid in which the adventure is a fight.
    package var ofRaid: Self {
        Self(adventureID: adventureID, occasion: .raidJoined, requestedAt: requestedAt, trace: trace)
    }

    /// Returns the alert of the start: iOS drops a start without one, so a muted alert loses only its sound.
    /// - Parameters:
    ///   - adventure: the adventure.
    ///   - preferences: which alerts ring on the device.
    ///   - moment: the time of the start.
    /// - Returns: the alert, with a sound if it rings.
    package func alert(
        for adventure: Adventure,
        ringing preferences: AlertPreferences,
        at moment: Timestamp
    ) -> LiveActivityPayload.Alert {
        let (alert, category): (LiveActivityPayload.Alert, AlertPreferences.Category?) =
            switch occasion {
            case .adventureStarted: (PushAlert.activityStarted(for: adventure), adventure.boss == nil ? nil : .boss)
            case .activityEndsSoon: (PushAlert.activityRenewed, nil)
            // The party's own fight has rung.
            case .raidJoined: (PushAlert.activityStarted(for: adventure).silent, nil)
            }
        return preferences.rings(in: category, at: moment) ? alert : alert.silent
    }

    /// Returns whether the request includes a player.
    package func includes(_ playerID: PlayerID) -> Bool {
        switch occasion {
        case .adventureStarted, .raidJoined: true
        case .activityEndsSoon(let old): old.playerID == playerID
        }
    }

    /// Returns whether the request includes a device of a player whom it includes.
    package func includes(_ device: Device) -> Bool {
        switch occasion {
        case .adventureStarted: true
        case .activityEndsSoon(let old): old.deviceID == device.id
        case .raidJoined: device.followsRaids
        }
    }

    /// Returns the age from which the request is too old.
    package func maxAge(by policy: PushToStartPolicy) -> Duration {
        switch occasion {
        case .adventureStarted, .activityEndsSoon: policy.maxRequestAge
        case .raidJoined: policy.maxRaidRequestAge
        }
    }

    /// Returns whether the request is repeated after a denial: a raid lasts long enough to wait for its channel, and for the
    /// token of the party's own activity.
    package func isRepeated(after denial: StartDenial) -> Bool {
        switch occasion {
        case .adventureStarted, .activityEndsSoon: false
        case .raidJoined: [.channelNotLive, .outstanding, .breakerOpen].contains(denial)
        }
    }

    /// Returns whether an activity of the device and the adventure meets the request.
    ///
    /// At the start of an adventure any activity meets it, even one that has ended: an activity that the user dismissed
    /// is not started again. Activities of raids are not registered.
    package func isMet(by activity: Activity) -> Bool {
        switch occasion {
        case .adventureStarted: true
        case .activityEndsSoon(let old): activity.state == .live && activity.registeredAt > old.registeredAt
        case .raidJoined: false
        }
    }
}
