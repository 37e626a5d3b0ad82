package import Encodings
package import GameCore
package import GameLog
package import PushRules

/// The budget of ordinary alerts on one device.
///
/// It is a value without a clock, and counts claims, as ``PushToStartBudget`` does. Lighter alerts leave a part of it to
/// heavier ones, so that the alerts of a long fight's turns do not cost the alert of its end.
package struct FallbackBudget {
    /// The time for which an alert counts, and is remembered.
    private static let hour = Duration.seconds(60 * 60)

    private let hourlyBudget: Int
    /// The alerts of the last hour, oldest first.
    package private(set) var sent: [SentAlert]

    /// Creates a budget from the alerts of one device, oldest first.
    package init(hourlyBudget: Int, sent: [SentAlert]) {
        self.hourlyBudget = hourlyBudget
        self.sent = sent
    }

    /// Claims an alert.
    ///
    /// The alerts of an adventure are claimed in the order of their events, and each once: after a crash or a takeover the
    /// events of the last minute are observed again.
    /// - Parameters:
    ///   - sequence: the sequence of the event in the adventure.
    ///   - adventureID: the adventure.
    ///   - weight: the weight of the alert.
    ///   - now: the time.
    /// - Returns: nil if the alert was claimed and added to ``sent``; otherwise the reason for the denial.
    package mutating func claim(
        _ sequence: Int,
        of adventureID: AdventureID,
        _ weight: AlertWeight,
        at now: Timestamp
    ) -> FallbackDenial? {
        let isKnown = sent.contains { $0.adventureID == adventureID && $0.sequence >= sequence }
        if isKnown { return .alreadySent }
        sent.removeAll { now - $0.at >= Self.hour }
        if sent.count >= hourlyBudget - reserve(for: weight) { return .overBudget }
        sent.append(SentAlert(adventureID: adventureID, sequence: sequence, at: now))
        return nil
    }

    /// The part of the budget that an alert of this weight leaves to heavier ones.
    private func reserve(for weight: AlertWeight) -> Int {
        switch weight {
        case .routine, .warning: hourlyBudget / 2
        case .companion: hourlyBudget / 3
        case .personal: hourlyBudget / 6
        case .final: 0
        }
    }
}

/// The reason why a device gets no ordinary alert.
package enum FallbackDenial: String, Error, CaseIterable, CustomStringConvertible {
    /// A Live Activity on the device shows the adventure.
    case hasActivity
    /// A push that starts an activity was just sent to the device, with an alert of its own.
    case activityStarted
    /// The player muted the alert, or has quiet hours.
    case muted
    /// The budget of this hour is spent, or the rest is left to heavier alerts.
    case overBudget
    /// This alert, or one of a later event, was sent already.
    case alreadySent
    /// The event is too long ago.
    case tooLate
    /// The circuit breaker of the token's environment is open.
    case breakerOpen
    /// Other changes of the device's row made every attempt to claim fail.
    case lostClaim

    /// A clause for logs.
    package var description: String {
        switch self {
        case .hasActivity: "a Live Activity on the device shows the adventure"
        case .activityStarted: "a Live Activity was just started on the device"
        case .muted: "muted by the player"
        case .overBudget: "the budget of this hour is spent, or the rest is left to weightier alerts"
        case .alreadySent: "this alert or a later one was sent already"
        case .tooLate: "the event is too long ago"
        case .breakerOpen: "APNs rejects all pushes from here until an operator fixes the cause"
        case .lostClaim: "the device's record changed at every attempt"
        }
    }
}
