public import Foundation
public import GameCore

/// A change of a Live Activity on the phone.
public enum ActivityUpdate: Hashable, Sendable {
    /// ActivityKit issued a push token: the first one, or a replacement.
    case pushToken(Data)
    /// The activity has ended or was dismissed, and shows no further pushes.
    case ended
}

/// Keeps the server informed about a phone's Live Activities over an unreliable connection.
///
/// Each report is retried until the server accepts or rejects it, or a newer report supersedes it. Reports about one
/// activity never overtake each other. On Apple's platforms, `LiveActivities` feeds the reporter from ActivityKit.
public struct LiveActivityReporter: Sendable {
    private let player: PlayerClient
    private let environment: PushEnvironment
    private let onError: @Sendable (any Error) -> Void

    /// Creates a reporter for one player.
    /// - Parameters:
    ///   - player: a client for the player who owns the activities.
    ///   - environment: the APNs environment of the app's push tokens.
    ///   - onError: receives the error of each report that the server rejects, for the app's log.
    public init(
        player: PlayerClient,
        environment: PushEnvironment,
        onError: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        self.player = player.withoutRetries
        self.environment = environment
        self.onError = onError
    }

    /// Follows one Live Activity: registers it with each push token, and releases it when it ends.
    ///
    /// Returns when the server has accepted or rejected the release, when the updates have ended and no report is left,
    /// or when the task is cancelled.
    /// - Parameters:
    ///   - activityID: the identifier that the app chose.
    ///   - adventureID: the adventure that the activity shows.
    ///   - frequentPushesEnabled: whether frequent pushes were enabled when the activity started; fixed for its life.
    ///   - locale: the phone's language, such as `ko` or `pt-BR`, for support only.
    ///   - updates: the changes of the activity on the phone.
    public func follow(
        _ activityID: ActivityID,
        of adventureID: AdventureID,
        frequentPushesEnabled: Bool,
        locale: String? = nil,
        updates: some AsyncSequence<ActivityUpdate, Never> & Sendable
    ) async {
        let sender: ReportSender<ActivityUpdate> = sender { [player, environment] update, key in
            switch update {
            case .pushToken(let token):
                let destination = PushDestination(
                    pushToken: token,
                    environment: environment,
                    frequentPushesEnabled: frequentPushesEnabled
                )
                try await player.register(
                    activityID,
                    of: adventureID,
                    destination: destination,
                    locale: locale,
                    key: key
                )
            case .ended:
                do {
                    try await player.release(activityID, of: adventureID, key: key)
                } catch RangersError.problem(let problem) where problem.status == 404 {
                    // The activity was never registered, so no release is necessary.
                }
            }
        }
        await sender.deliver(updates) { $0 == .ended }
    }

    /// Forwards push-to-start tokens and the person's setting for frequent pushes to the server.
    /// - Parameter destinations: the newest token with the newest setting, after each change of either.
    public func forwardPushToStartTokens(
        _ destinations: some AsyncSequence<PushDestination, Never> & Sendable
    ) async {
        let sender: ReportSender<PushDestination> = sender { [player] destination, key in
            try await player.storePushToStartToken(destination, key: key)
        }
        await sender.deliver(destinations) { _ in false }
    }

    /// Releases the activities that the phone no longer shows; call it once at each launch.
    /// - Parameter running: returns the running activities. It is called for each attempt, because an outdated list
    ///   would release new activities.
    public func sync(running: @escaping @Sendable () async -> [ActivityID]) async {
        // Each attempt is a request of its own with a new key, because its list may differ.
        let sender: ReportSender<Void> = sender { [player] _, _ in
            _ = try await player.sync(running: await running())
        }
        let (once, continuation) = AsyncStream.makeStream(of: Void.self)
        continuation.yield()
        continuation.finish()
        await sender.deliver(once) { _ in true }
    }

    private func sender<Content>(
        _ attempt: @escaping @Sendable (Content, IdempotencyKey) async throws -> Void
    ) -> ReportSender<Content> {
        let configuration = player.http.configuration
        return ReportSender(
            retryPolicy: RetryPolicy(initialDelay: .milliseconds(500), maxDelay: .seconds(30)),
            clock: configuration.clock,
            randomBits: configuration.randomBits,
            attempt: attempt,
            onError: onError
        )
    }
}

extension PlayerClient {
    /// The same client without retries, for a caller that retries itself.
    fileprivate var withoutRetries: PlayerClient {
        var http = http
        http.configuration.retryPolicy = .never
        return PlayerClient(http)
    }
}
