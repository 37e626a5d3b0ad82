// Compiled only where ActivityKit exists, and therefore not by this repository's CI, which runs on Linux. All decisions
// are in LiveActivityReporter, ReportQueue and ReportSender, which are tested there.
#if os(iOS) && canImport(ActivityKit)
public import ActivityKit
public import Foundation
public import GameCore
public import LiveActivityContent

/// The connection between ActivityKit and the server: everything an app does for its Live Activities on one device.
///
/// Call ``run()`` at each launch, before any other asynchronous work: after a push-to-start, iOS wakes the app only for
/// a few seconds, within which the new activity's push token has to reach the server.
public struct LiveActivities: Sendable {
    private let reporter: LiveActivityReporter
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    private let journal = SharedJournal()

    /// Creates a connection for one player.
    /// - Parameters:
    ///   - player: a client for the player who owns the activities.
    ///   - deviceID: the identifier of this device: any UUID, chosen at the first launch and kept.
    ///   - environment: `sandbox` for builds from Xcode, `production` for TestFlight and the App Store.
    ///   - appBuild: the version of the app, for support only.
    ///   - alertToken: returns the newest token from `didRegisterForRemoteNotificationsWithDeviceToken`; after it has
    ///     changed, call ``deviceChanged()``.
    ///   - alerts: returns which alerts ring on this device; after the player has changed them, call
    ///     ``deviceChanged()``.
    ///   - onError: receives the error of each report that the server rejects, for the app's log.
    public init(
        player: PlayerClient,
        deviceID: DeviceID,
        environment: PushEnvironment,
        appBuild: String? = nil,
        alertToken: @escaping @Sendable () -> Data? = { nil },
        alerts: @escaping @Sendable () -> AlertPreferences = { AlertPreferences() },
        onError: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        reporter = LiveActivityReporter(player: player, on: deviceID) {
            let authorization = ActivityAuthorizationInfo()
            return DeviceSettings(
                environment: environment,
                locale: Locale.preferredLanguages.first,
                appBuild: appBuild,
                liveActivitiesEnabled: authorization.areActivitiesEnabled,
                frequentPushesEnabled: authorization.frequentPushesEnabled,
                pushToStartToken: Activity<AdventureAttributes>.pushToStartToken,
                alertToken: alertToken(),
                alerts: alerts()
            )
        } onError: {
            onError($0)
        }
    }

    /// Counts a tap on an activity, for the server's statistics.
    public func tapped(_ activity: Activity<AdventureAttributes>) async {
        guard let adventureID = AdventureID(activity.attributes.adventureID) else { return }
        await journal.observe(.tapped, of: ActivityID(activityKitID: activity.id), showing: adventureID)
    }

    /// Tells the server that a setting or token of this device has changed that ActivityKit does not announce.
    public func deviceChanged() { change.yield() }

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

    /// Registers the device, syncs its activities with the server, forwards every push token, and releases activities
    /// that have ended, until the task is cancelled; call it once.
    public func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await reportDevice() }
            group.addTask { await reporter.sync { Self.running } }
            group.addTask { await reporter.reportReceipts(changes: journal.changes) { await journal.receipts } }
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
        let activityID = ActivityID(activityKitID: id)
        let observe: @Sendable (ReceiptJournal.Observation) async -> Void = { [journal] observation in
            await journal.observe(observation, of: activityID, showing: adventureID)
        }
        let (updates, continuation) = AsyncStream.makeStream(of: ActivityUpdate.self)
        await withDiscardingTaskGroup { group in
            group.addTask {
                guard let activity = Self.activity(id) else { return }
                if let token = activity.pushToken { continuation.yield(.pushToken(token)) }
                for await token in activity.pushTokenUpdates {
                    continuation.yield(.pushToken(token))
                    await observe(.tokenIssued)
                }
            }
            group.addTask {
                guard let activity = Self.activity(id) else { return }
                await observe(.shown(sequence: activity.content.state.sequence))
                for await content in activity.contentUpdates { await observe(.shown(sequence: content.state.sequence)) }
            }
            group.addTask {
                guard let activity = Self.activity(id) else { return }
                if activity.activityState.isOver { continuation.yield(.ended) }
                for await state in activity.activityStateUpdates {
                    switch state {
                    case .stale: await observe(.stale)
                    case .ended: await observe(.ended)
                    case .dismissed: await observe(.dismissed)
                    default: break
                    }
                    if state.isOver { continuation.yield(.ended) }
                }
            }
            await reporter.follow(
                activityID,
                of: adventureID,
                frequentPushesEnabled: ActivityAuthorizationInfo().frequentPushesEnabled,
                locale: Locale.preferredLanguages.first,
                updates: updates
            )
            group.cancelAll()
        }
    }

    /// Registers the device, and registers it again after each change of a setting or of the push-to-start token.
    private func reportDevice() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await _ in Activity<AdventureAttributes>.pushToStartTokenUpdates { change.yield() }
            }
            group.addTask {
                for await _ in ActivityAuthorizationInfo().activityEnablementUpdates {
                    change.yield()
                    await journal.enablementChanged()
                }
            }
            group.addTask {
                for await _ in ActivityAuthorizationInfo().frequentPushEnablementUpdates { change.yield() }
            }
            await reporter.reportDevice(changes: changes)
            group.cancelAll()
        }
    }
}

/// The journal of a device, shared by the tasks that follow its activities.
private actor SharedJournal {
    nonisolated let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    private var journal = ReceiptJournal()
    private var enablementChangedAt: Date?

    init() { (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    func observe(_ observation: ReceiptJournal.Observation, of activityID: ActivityID, showing adventureID: AdventureID)
    {
        journal.observe(observation, of: activityID, showing: adventureID, at: Date())
        change.yield()
    }

    func enablementChanged() {
        enablementChangedAt = Date()
        change.yield()
    }

    var receipts: Receipts {
        Receipts(
            device: .init(
                liveActivitiesEnabled: ActivityAuthorizationInfo().areActivitiesEnabled,
                liveActivitiesChangedAt: enablementChangedAt,
                lowPowerMode: ProcessInfo.processInfo.isLowPowerModeEnabled
            ),
            activities: journal.activities
        )
    }
}

extension ActivityState {
    /// Whether the activity accepts no further pushes.
    fileprivate var isOver: Bool { self == .ended || self == .dismissed }
}
#endif
