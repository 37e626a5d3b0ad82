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
    private let deviceID: DeviceID
    private let settings: @Sendable () async -> DeviceSettings
    private let onError: @Sendable (any Error) -> Void

    /// Creates a reporter for one player.
    /// - Parameters:
    ///   - player: a client for the player who owns the activities.
    ///   - deviceID: the identifier that the app chose for this device.
    ///   - settings: returns the settings and tokens that the device has at that time.
    ///   - onError: receives the error of each report that the server rejects, for the app's log.
    public init(
        player: PlayerClient,
        on deviceID: DeviceID,
        settings: @escaping @Sendable () async -> DeviceSettings,
        onError: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        self.player = player.withoutRetries
        self.deviceID = deviceID
        self.settings = settings
        self.onError = onError
    }

    /// Follows one Live Activity: registers it with each push token, and releases it when it ends.
    ///
    /// If the server does not know the device, the device is registered first.
    ///
    /// Returns when the server has accepted or rejected the release, when the updates have ended and no report is left,
    /// or when the task is cancelled.
    /// - Parameters:
    ///   - activityID: the identifier that the app chose.
    ///   - adventureID: the adventure that the activity shows.
    ///   - frequentPushesEnabled: whether frequent pushes were enabled when the activity started; fixed for its life.
    ///   - locale: the phone's language, such as `ko` or `pt-BR`, for support only.
    ///   - startsAt: when a scheduled activity starts or started; nil for another. It is evaluated for each report.
    ///   - updates: the changes of the activity on the phone.
    public func follow(
        _ activityID: ActivityID,
        of adventureID: AdventureID,
        frequentPushesEnabled: Bool,
        locale: String? = nil,
        startsAt: @autoclosure @escaping @Sendable () -> Date? = nil,
        updates: some AsyncSequence<ActivityUpdate, Never> & Sendable
    ) async {
        let sender: ReportSender<ActivityUpdate> = sender { [player, deviceID, settings] update, key in
            switch update {
            case .pushToken(let token):
                let current = await settings()
                let destination = PushDestination(
                    pushToken: token,
                    environment: current.environment,
                    frequentPushesEnabled: frequentPushesEnabled
                )
                try await withDevice {
                    try await player.register(
                        activityID,
                        of: adventureID,
                        on: deviceID,
                        destination: destination,
                        locale: locale,
                        startsAt: startsAt(),
                        key: key
                    )
                }
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

    /// Registers the device, and registers it again after each change of its settings or tokens.
    /// - Parameter changes: an element for each change.
    public func reportDevice(changes: some AsyncSequence<Void, Never> & Sendable) async {
        let (reports, report) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        report.yield()
        // Each attempt is a request of its own with a new key, because the settings may differ.
        let sender: ReportSender<Void> = sender { _, _ in try await registerDevice() }
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await _ in changes { report.yield() }
                report.finish()
            }
            await sender.deliver(reports) { _ in false }
            group.cancelAll()
        }
    }

    /// Reports what the device has shown, after each change, until the changes end or the task is cancelled.
    ///
    /// A report that fails is retried with what the device has shown by then.
    /// - Parameters:
    ///   - changes: an element for each change; a stream that keeps only the newest element suffices.
    ///   - spacing: the time between two reports: the server refuses more than a few a minute.
    ///   - now: returns the time by the device's clock.
    ///   - receipts: returns what the device has shown.
    public func reportReceipts(
        changes: some AsyncSequence<Void, Never> & Sendable,
        spacing: Duration = .seconds(30),
        now: @escaping @Sendable () -> Date = { Date() },
        _ receipts: @escaping @Sendable () async -> Receipts
    ) async {
        let (reports, report) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Each attempt is a request of its own, because its time and the receipts differ.
        let sender: ReportSender<Void> = sender { [player, deviceID] _, _ in
            try await withDevice { try await player.report(await receipts(), from: deviceID, at: now()) }
        }
        await withDiscardingTaskGroup { group in
            group.addTask { [clock = player.http.configuration.clock] in
                for await _ in changes {
                    report.yield()
                    // On cancellation the loop ends.
                    try? await clock.sleep(for: spacing)
                }
                report.finish()
            }
            await sender.deliver(reports) { _ in false }
            group.cancelAll()
        }
    }

    /// Releases the device's activities that it no longer shows; call it once at each launch.
    ///
    /// An activity that runs, but that the server does not know any more, is registered again when its token is reported.
    /// - Parameter running: returns the running activities. It is called for each attempt, because an outdated list
    ///   would release new activities.
    public func sync(running: @escaping @Sendable () async -> [ActivityID]) async {
        // Each attempt is a request of its own with a new key, because its list may differ.
        let sender: ReportSender<Void> = sender { [player, deviceID] _, _ in
            try await withDevice { try await player.sync(running: await running(), on: deviceID) }
        }
        let (once, continuation) = AsyncStream.makeStream(of: Void.self)
        continuation.yield()
        continuation.finish()
        await sender.deliver(once) { _ in true }
    }

    /// Sends a report that needs the device; registers the device first if the server does not know it.
    private func withDevice<Response>(_ report: () async throws -> Response) async throws {
        do {
            _ = try await report()
        } catch RangersError.problem(let problem) where problem.type == .unknownDevice {
            try await registerDevice()
            _ = try await report()
        }
    }

    /// Registers the device, and again until it was registered with the newest settings: a slow request may have
    /// replaced those of a later one.
    private func registerDevice() async throws {
        var sent: DeviceSettings
        repeat {
            sent = await settings()
            try await player.register(deviceID, with: sent)
        } while await settings() != sent
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
    var withoutRetries: PlayerClient {
        var http = http
        http.configuration.retryPolicy = .never
        return PlayerClient(http)
    }
}
