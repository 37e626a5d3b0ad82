// Compiled where ActivityKit is, and not by this repository's CI, which runs on Linux: what decides is in
// LiveActivityReporter, LetterBox and Messenger, and tested there.
#if os(iOS) && canImport(ActivityKit)
public import ActivityKit
import Foundation
import GameCore
public import LiveActivityContent

/// Ties ActivityKit to the server: everything an app does for its Live Activities, in two calls.
///
/// Call ``run()`` at each launch, before anything else that waits: when a push has started an activity, iOS wakes the app
/// for a few seconds only, in which the activity's token has to reach the server.
public struct LiveActivities: Sendable {
    private let reporter: LiveActivityReporter
    private let environment: PushEnvironment
    private let syncsAtLaunch: Bool

    /// For one player.
    /// - Parameters:
    ///   - player: whose activities they are.
    ///   - environment: `sandbox` for what Xcode builds, `production` for TestFlight and the store.
    ///   - syncsAtLaunch: whether ``run()`` tells the server which cards this phone shows, and has it let go of all others of
    ///     the player; false for an app that one player uses on several devices.
    ///   - onRefusal: hears what the server will not take, for the app's log.
    public init(
        player: PlayerClient,
        environment: PushEnvironment,
        syncsAtLaunch: Bool = true,
        onRefusal: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        reporter = LiveActivityReporter(player: player, environment: environment, onRefusal: onRefusal)
        self.environment = environment
        self.syncsAtLaunch = syncsAtLaunch
    }

    /// Starts a Live Activity on this phone; ``run()`` sees to the rest.
    /// - Throws: `ActivityAuthorizationError`, when iOS does not let it start.
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

    /// Tells the server what the phone shows, forwards every token, and says when an activity is over; until the task is
    /// cancelled.
    public func run() async {
        await withDiscardingTaskGroup { group in
            if syncsAtLaunch { group.addTask { await reporter.sync { Self.running } } }
            group.addTask { await keepPushToStartTokens() }
            // Activities go by their names here, since ActivityKit's objects need not be fit for several tasks. Those that
            // run already come first: that the sequence begins with them is not promised.
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
        let (news, post) = AsyncStream.makeStream(of: ActivityNews.self)
        await withDiscardingTaskGroup { group in
            group.addTask {
                guard let activity = Self.activity(id) else { return }
                if let token = activity.pushToken { post.yield(.pushToken(token)) }
                for await token in activity.pushTokenUpdates { post.yield(.pushToken(token)) }
            }
            group.addTask {
                guard let activity = Self.activity(id) else { return }
                if activity.activityState.isOver { post.yield(.isOver) }
                for await state in activity.activityStateUpdates where state.isOver { post.yield(.isOver) }
            }
            await reporter.follow(
                ActivityID(activityKitID: id),
                of: adventureID,
                frequentPushesEnabled: ActivityAuthorizationInfo().frequentPushesEnabled,
                locale: Locale.preferredLanguages.first,
                news: news
            )
            group.cancelAll()
        }
    }

    private func keepPushToStartTokens() async {
        let (routes, post) = AsyncStream.makeStream(of: PushRoute.self)
        let tellNewest: @Sendable (Data?) -> Void = { [environment] token in
            guard let token = token ?? Activity<AdventureAttributes>.pushToStartToken else { return }
            let isFrequent = ActivityAuthorizationInfo().frequentPushesEnabled
            post.yield(PushRoute(pushToken: token, environment: environment, frequentPushesEnabled: isFrequent))
        }
        await withDiscardingTaskGroup { group in
            group.addTask {
                // The sequence need not repeat at launch what it told at an earlier one.
                tellNewest(nil)
                for await token in Activity<AdventureAttributes>.pushToStartTokenUpdates { tellNewest(token) }
            }
            group.addTask {
                for await _ in ActivityAuthorizationInfo().frequentPushEnablementUpdates { tellNewest(nil) }
            }
            await reporter.keepPushToStartTokens(routes)
        }
    }
}

extension ActivityState {
    /// Whether the activity takes no more pushes.
    fileprivate var isOver: Bool { self == .ended || self == .dismissed }
}
#endif
