// Like LiveActivities.swift, the tests compile this file once more with a stub of ActivityKit.
#if os(iOS) && !targetEnvironment(macCatalyst) && canImport(ActivityKit) || APPLE_STUBS
public import ActivityKit
import Foundation
import GameCore
public import LiveActivityContent

#if APPLE_STUBS
public import RangersClient
#endif

extension LiveActivities {
    /// The time after which iOS shows a state as out of date that no broadcast has replaced, as the server sets it.
    private static let staleDelay: TimeInterval = 300

    /// Starts a Live Activity that shows the common boss of a raid on this phone, beside that of the player's own party.
    ///
    /// Broadcasts to the raid's channel update and end it. It has no push token, so the server does not know of it.
    /// - Parameter raid: the raid, read by its identifier: raids in lists have no channels.
    /// - Returns: the activity, or the one that shows the raid already; nil if the raid does not run, or as long as APNs has
    ///   not created its channel, within seconds of its start.
    /// - Throws: ``LiveActivitiesError/disabled``; `ActivityAuthorizationError` if iOS does not allow the start for
    ///   another reason.
    @available(iOS 18.0, *)
    @discardableResult
    public func follow(_ raid: RaidResponse) throws -> Activity<RaidAttributes>? {
        guard raid.state.value == .running, let channel = raid.channels?[environment.rawValue] else { return nil }
        let raidID = "\(raid.raidID)"
        if let shown = Self.running().first(where: { $0.attributes.raidID == raidID }) { return shown }
        guard ActivityAuthorizationInfo().areActivitiesEnabled else { throw LiveActivitiesError.disabled }
        return try Activity.request(
            attributes: RaidAttributes(raidID: raidID, bossName: raid.boss.name, bossAvatar: raid.boss.avatar),
            content: Self.content(of: raid),
            pushType: .channel(channel)
        )
    }

    /// Updates the activities of raids on this phone, and ends those of raids that are over; call it when the app comes to
    /// the front.
    ///
    /// The channel of a raid stores no broadcast, so a phone without a connection at the end of a raid has missed the last one.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func updateRaids() async throws {
        for text in Set(Self.running().map(\.attributes.raidID)).sorted() {
            guard let raidID = RaidID(text) else { continue }
            await update(try await player.raid(raidID))
        }
    }

    /// Updates the activities of a raid on this phone with what the app has read, or ends them if the raid is over.
    ///
    /// An older state never replaces a newer one. An ended activity leaves the Lock Screen 15 minutes later.
    public func update(_ raid: RaidResponse) async {
        let raidID = "\(raid.raidID)"
        let ids = Self.running().filter { $0.attributes.raidID == raidID }.map(\.id)
        for id in ids {
            // Each activity is looked up, because ActivityKit's objects may not be Sendable.
            guard let activity = Self.running().first(where: { $0.id == id }) else { continue }
            let content = Self.content(of: raid)
            let shown = activity.content.state.sequence
            if raid.isOver, shown <= content.state.sequence {
                await activity.end(content, dismissalPolicy: .after(Date() + Self.dismissalDelay))
            } else if shown < content.state.sequence {
                await activity.update(content)
            }
        }
    }

    /// Returns the activities of raids that broadcasts can still change.
    private static func running() -> [Activity<RaidAttributes>] {
        Activity<RaidAttributes>.activities.filter { !$0.activityState.isOver }
    }

    private static func content(of raid: RaidResponse) -> ActivityContent<RaidActivityState> {
        ActivityContent(state: RaidActivityState(of: raid), staleDate: Date() + staleDelay, relevanceScore: 1)
    }

    /// Ends second activities of a raid until the task is cancelled: the server starts one without knowing of that of the app.
    @available(iOS 18.0, *)
    func endDuplicatesOfRaids() async {
        // The activities are listed after the updates have begun, which are not documented to begin with them.
        let updates = Activity<RaidAttributes>.activityUpdates
        await Self.endDuplicates()
        for await _ in updates { await Self.endDuplicates() }
    }

    @available(iOS 18.0, *)
    private static func endDuplicates() async {
        var raids: Set<String> = []
        let duplicates = running().filter { !raids.insert($0.attributes.raidID).inserted }.map(\.id)
        // Each activity is looked up, because ActivityKit's objects may not be Sendable.
        for id in duplicates {
            guard let activity = running().first(where: { $0.id == id }) else { continue }
            await activity.end(nil, dismissalPolicy: .immediate)
        }
    }
}
#endif
