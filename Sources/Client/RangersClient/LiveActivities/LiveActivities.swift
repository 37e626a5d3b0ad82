// Compiled only where ActivityKit exists, and therefore not by this repository's CI, which runs on Linux. All decisions
// are in LiveActivityReporter, ReportQueue and ReportSender, which are tested there.
#if os(iOS) && canImport(ActivityKit)
public import ActivityKit
import Foundation
public import GameCore
public import LiveActivityContent

/// The connection between ActivityKit and the server: everything an app does for its Live Activities, in two calls.
///
/// Call ``run()`` at each launch, before any other asynchronous work: after a push-to-start, iOS wakes the app only for
/// a few seconds, within which the new activity's push token has to reach the server.
public struct LiveActivities: Sendable {
    private let reporter: LiveActivityReporter
    private let environment: PushEnvironment
    private let syncsAtLaunch: Bool

    /// Creates a connection for one player.
    /// - Parameters:
    ///   - player: a client for the player who owns the activities.
    ///   - environment: `sandbox` for builds from Xcode, `production` for TestFlight and the App Store.
    ///   - syncsAtLaunch: whether ``run()`` releases all of the player's activities that this phone does not show;
    ///     false for an app that one player uses on several devices.
    ///   - onError: receives the error of each report that the server rejects, for the app's log.
    public init(
        player: PlayerClient,
        environment: PushEnvironment,
        syncsAtLaunch: Bool = true,
        onError: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        reporter = LiveActivityReporter(player: player, environment: environment, onError: onError)
        self.environment = environment
        self.syncsAtLaunch = syncsAtLaunch
    }

    /// Starts a Live Activity on this phone; ``run()`` registers it.
    /// - Parameters:
    ///   - attributes: the static attributes.
    ///   - state: the initial content state.
    /// - Returns: the activity.
    /// - Throws: `ActivityAuthorizationError` if iOS does not allow the start.
    @discardableResult
    public func start(
        _ attributes: AdventureAttributes,
        showing state: AdventureAttributes.ContentState
    ) throws -> Activity<AdventureAttributes> {
        try Activity.request(
            attributes: attributes,
            content: ActivityContent(state: state, staleDate: nil),
            pushType: .token
        )
    }

    /// Syncs the activities with the server, forwards every push token, and releases activities that have ended, until
    /// the task is cancelled.
    public func run() async {
        await withDiscardingTaskGroup { group in
            if syncsAtLaunch { group.addTask { await reporter.sync { Self.running } } }
            group.addTask { await forwardPushToStartTokens() }
            // The tasks share identifiers, because ActivityKit's objects may not be Sendable. The running activities
            // come first, because `activityUpdates` is not documented to begin with them.
            var followed: Set<String> = []
            for activity in Activity<AdventureAttributes>.activities where followed.insert(activity.id).inserted {
                group.addTask { [id = activity.id] in await follow(id) }
            }
            for await activity in Activity<AdventureAttributes>.activityUpdates
            where followed.insert(activity.id).inserted {
                group.addTask { [id = activity.id] in await follow(id) }
            }
        }
    }

    private static var running: [ActivityID] {
        Activity<AdventureAttributes>.activities.filter { !$0.activityState.isOver }.map { .init(activityKitID: $0.id) }
    }

    private static func activity(_ id: String) -> Activity<AdventureAttributes>? {
        Activity<AdventureAttributes>.activities.first { $0.id == id }
    }

    private func follow(_ id: String) async {
        guard let adventureID = Self.activity(id).flatMap({ AdventureID($0.attributes.adventureID) }) else { return }
        let (updates, continuation) = AsyncStream.makeStream(of: ActivityUpdate.self)
        await withDiscardingTaskGroup { group in
            group.addTask {
                guard let activity = Self.activity(id) else { return }
                if let token = activity.pushToken { continuation.yield(.pushToken(token)) }
                for await token in activity.pushTokenUpdates { continuation.yield(.pushToken(token)) }
            }
            group.addTask {
                guard let activity = Self.activity(id) else { return }
                if activity.activityState.isOver { continuation.yield(.ended) }
                for await state in activity.activityStateUpdates where state.isOver { continuation.yield(.ended) }
            }
            await reporter.follow(
                ActivityID(activityKitID: id),
                of: adventureID,
                frequentPushesEnabled: ActivityAuthorizationInfo().frequentPushesEnabled,
                locale: Locale.preferredLanguages.first,
                updates: updates
            )
            group.cancelAll()
        }
    }

    private func forwardPushToStartTokens() async {
        let (destinations, continuation) = AsyncStream.makeStream(of: PushDestination.self)
        let yieldNewest: @Sendable (Data?) -> Void = { [environment] token in
            guard let token = token ?? Activity<AdventureAttributes>.pushToStartToken else { return }
            continuation.yield(
                PushDestination(
                    pushToken: token,
                    environment: environment,
                    frequentPushesEnabled: ActivityAuthorizationInfo().frequentPushesEnabled
                )
            )
        }
        await withDiscardingTaskGroup { group in
            group.addTask {
                // The sequence may not repeat a token that it delivered at an earlier launch.
                yieldNewest(nil)
                for await token in Activity<AdventureAttributes>.pushToStartTokenUpdates { yieldNewest(token) }
            }
            group.addTask {
                for await _ in ActivityAuthorizationInfo().frequentPushEnablementUpdates { yieldNewest(nil) }
            }
            await reporter.forwardPushToStartTokens(destinations)
        }
    }
}

extension ActivityState {
    /// Whether the activity accepts no further pushes.
    fileprivate var isOver: Bool { self == .ended || self == .dismissed }
}
#endif
