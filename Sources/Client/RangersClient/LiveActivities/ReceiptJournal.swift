public import Foundation
public import GameCore

/// What the Live Activities of a device have shown since the launch of the app, as a bounded value.
///
/// On Apple's platforms `LiveActivities` keeps it, and reports it with ``LiveActivityReporter/reportReceipts(changes:spacing:now:_:)``.
public struct ReceiptJournal: Hashable, Sendable {
    /// Something that an app observes of an activity.
    public enum Observation: Hashable, Sendable {
        /// The device shows a state, by its `sequence`. ActivityKit repeats the newest one at each launch.
        case shown(sequence: Int)
        /// The state has become stale.
        case stale
        /// The activity has ended.
        case ended
        /// The person has removed the activity.
        case dismissed
        /// ActivityKit has issued a push token.
        case tokenIssued
        /// The person has tapped the activity.
        case tapped
    }

    /// The number of activities that are kept: those that were observed last.
    static let maxActivities = 8
    /// The number of shown states that are kept for each activity: the newest.
    static let maxShown = 32

    /// The activities, the one that was observed last at the end.
    public private(set) var activities: [Receipts.Activity] = []

    /// Creates an empty journal.
    public init() {}

    /// Adds an observation; a repeated one changes nothing.
    /// - Parameters:
    ///   - observation: the observation.
    ///   - activityID: the activity.
    ///   - adventureID: the adventure that it shows.
    ///   - now: the time by the device's clock.
    public mutating func observe(
        _ observation: Observation,
        of activityID: ActivityID,
        showing adventureID: AdventureID,
        at now: Date
    ) {
        var activity = Receipts.Activity(activityID, of: adventureID)
        if let index = activities.firstIndex(where: { $0.activityID == activityID }) {
            activity = activities.remove(at: index)
        }
        activity.observe(observation, at: now)
        activities.append(activity)
        if activities.count > Self.maxActivities { activities.removeFirst() }
    }
}

extension Receipts.Activity {
    fileprivate mutating func observe(_ observation: ReceiptJournal.Observation, at now: Date) {
        switch observation {
        case .shown(let sequence):
            showing = sequence
            guard shown[sequence] == nil else { return }
            shown[sequence] = now
            shownCount += 1
            if shown.count > ReceiptJournal.maxShown, let oldest = shown.keys.min() { shown[oldest] = nil }
        case .stale: staleAt = now
        case .ended:
            endedAt = endedAt ?? now
            showing = nil
        case .dismissed:
            dismissedAt = dismissedAt ?? now
            showing = nil
        case .tokenIssued: tokenChangedAt = now
        case .tapped: taps += 1
        }
    }
}
