// Like LiveActivities.swift, the tests compile this file once more with a stub of ActivityKit.
#if os(iOS) && !targetEnvironment(macCatalyst) && canImport(ActivityKit) || APPLE_STUBS
public import ActivityKit
import Foundation
public import GameCore
public import LiveActivityContent

#if APPLE_STUBS
public import RangersClient
#endif

extension LiveActivities {
    /// Starts a Live Activity that shows a party's adventure to a spectator on this phone.
    ///
    /// As ``follow(_:in:)``, in the environment of this connection.
    @available(iOS 18.0, *)
    @discardableResult
    public func follow(_ watched: WatchedParty) throws -> Activity<SpectatorAttributes>? {
        try Self.follow(watched, in: environment)
    }

    /// Starts a Live Activity that shows a party's adventure to a spectator on this phone, who needs no account.
    ///
    /// Broadcasts to the party's channel update and end it. It has no push token, so the server does not know of it.
    /// - Parameters:
    ///   - watched: what ``RangersServer/watch(_:)`` has returned.
    ///   - environment: `sandbox` for builds from Xcode, `production` for TestFlight and the App Store.
    /// - Returns: the activity, or the one that shows the adventure already; nil if the party is on no adventure, or as long as
    ///   APNs has not created the channel, within seconds of the first look at the adventure: watch again then.
    /// - Throws: ``LiveActivitiesError/disabled``; `ActivityAuthorizationError` if iOS does not allow the start for
    ///   another reason.
    @available(iOS 18.0, *)
    @discardableResult
    public static func follow(
        _ watched: WatchedParty,
        in environment: PushEnvironment
    ) throws -> Activity<SpectatorAttributes>? {
        guard let adventure = watched.adventure, adventure.outcome == nil,
            let channel = watched.channels[environment.rawValue]
        else { return nil }
        let id = "\(adventure.adventureID)"
        if let shown = spectators().first(where: { $0.attributes.adventureID == id }) { return shown }
        guard ActivityAuthorizationInfo().areActivitiesEnabled else { throw LiveActivitiesError.disabled }
        let state = AdventureAttributes.ContentState(of: adventure)
        return try Activity.request(
            attributes: SpectatorAttributes(adventureID: id),
            // The server sets the same stale date.
            content: ActivityContent(state: state, staleDate: Date() + 300, relevanceScore: 1),
            pushType: .channel(channel)
        )
    }

    /// Removes the activities that show adventures to a spectator from this phone.
    public static func endSpectators() async {
        for id in spectators().map(\.id) {
            // Each activity is looked up, because ActivityKit's objects may not be Sendable.
            guard let activity = spectators().first(where: { $0.id == id }) else { continue }
            await activity.end(nil, dismissalPolicy: .immediate)
        }
    }

    /// Returns the activities of spectators that broadcasts can still change.
    private static func spectators() -> [Activity<SpectatorAttributes>] {
        Activity<SpectatorAttributes>.activities.filter { !$0.activityState.isOver }
    }
}
#endif
