public import Foundation
public import GameCore

/// What a phone tells of one Live Activity.
public enum ActivityNews: Hashable, Sendable {
    /// ActivityKit gave it a push token: the first one, or one in place of the last.
    case pushToken(Data)
    /// It has ended, or was dismissed: no push will be shown any more.
    case isOver
}

/// Keeps the server informed of a phone's Live Activities, whatever the connection does meanwhile.
///
/// What there is to say is tried until it is said or refused; where something newer is to be said instead, the newer is
/// said alone, and never before an older one that is still under way. On Apple's platforms `LiveActivities` feeds it from
/// ActivityKit.
public struct LiveActivityReporter: Sendable {
    private let player: PlayerClient
    private let environment: PushEnvironment
    private let onRefusal: @Sendable (any Error) -> Void

    /// A reporter for one player.
    /// - Parameters:
    ///   - player: whose activities they are.
    ///   - environment: which APNs the app's tokens are of.
    ///   - onRefusal: hears what the server will not take, for the app's log.
    public init(
        player: PlayerClient,
        environment: PushEnvironment,
        onRefusal: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        self.player = player.tryingOnce
        self.environment = environment
        self.onRefusal = onRefusal
    }

    /// Follows one Live Activity: registers it with each push token, and releases it when it is over.
    ///
    /// Returns when the server knows of its end, when there are no more news, or when the task is cancelled.
    /// - Parameters:
    ///   - activityID: as the app names it.
    ///   - adventureID: what it shows.
    ///   - frequentPushesEnabled: as it was when the activity started; it holds for the activity's life.
    ///   - locale: the phone's language, such as `ko` or `pt-BR`.
    ///   - news: what ActivityKit tells.
    public func follow(
        _ activityID: ActivityID,
        of adventureID: AdventureID,
        frequentPushesEnabled: Bool,
        locale: String? = nil,
        news: some AsyncSequence<ActivityNews, Never> & Sendable
    ) async {
        let messenger: Messenger<ActivityNews> = messenger { [player, environment] news, key in
            switch news {
            case .pushToken(let token):
                let route = PushRoute(
                    pushToken: token,
                    environment: environment,
                    frequentPushesEnabled: frequentPushesEnabled
                )
                try await player.register(activityID, of: adventureID, route: route, locale: locale, key: key)
            case .isOver:
                do {
                    try await player.release(activityID, of: adventureID, key: key)
                } catch RangersError.problem(let problem) where problem.status == 404 {
                    // The server does not know it, which is what was asked for: it was never registered.
                }
            }
        }
        await messenger.deliver(news) { $0 == .isOver }
    }

    /// Forwards each push-to-start token, and the person's choice in Settings.
    /// - Parameter routes: the newest token with the newest choice, whenever one of them changes.
    public func keepPushToStartTokens(_ routes: some AsyncSequence<PushRoute, Never> & Sendable) async {
        let messenger: Messenger<PushRoute> = messenger { [player] route, key in
            try await player.keepPushToStartToken(route, key: key)
        }
        await messenger.deliver(routes) { _ in false }
    }

    /// Tells the server what the phone shows, so that it lets go of the rest: once at each launch.
    /// - Parameter running: asked anew for each try, since an old list would cost new activities their pushes.
    public func sync(running: @escaping @Sendable () async -> [ActivityID]) async {
        // A list of another moment is another request, under a key of its own.
        let messenger: Messenger<Void> = messenger { [player] _, _ in
            try await player.sync(running: await running())
        }
        let (once, post) = AsyncStream.makeStream(of: Void.self)
        post.yield()
        post.finish()
        await messenger.deliver(once) { _ in true }
    }

    private func messenger<Content>(
        _ attempt: @escaping @Sendable (Content, IdempotencyKey) async throws -> Void
    ) -> Messenger<Content> {
        let configuration = player.http.configuration
        return Messenger(
            retryPolicy: RetryPolicy(firstPause: .milliseconds(500), longestPause: .seconds(30)),
            clock: configuration.clock,
            randomBits: configuration.randomBits,
            attempt: attempt,
            onRefusal: onRefusal
        )
    }
}

extension PlayerClient {
    /// The same client, for who decides alone when to try again.
    fileprivate var tryingOnce: PlayerClient {
        var http = http
        http.configuration.retryPolicy = .never
        return PlayerClient(http)
    }
}
