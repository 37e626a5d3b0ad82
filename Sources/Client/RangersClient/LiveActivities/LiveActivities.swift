// All decisions are in LiveActivityReporter, ActivityFrame, ReportQueue and ReportSender. The tests compile this file once
// more with a stub of ActivityKit; see Tests/AppleStubs.
#if os(iOS) && !targetEnvironment(macCatalyst) && canImport(ActivityKit) || APPLE_STUBS
public import ActivityKit
public import Foundation
public import GameCore
public import LiveActivityContent
import WidgetKit

#if APPLE_STUBS
public import RangersClient
#endif

/// The connection between ActivityKit and the server: everything an app does for its Live Activities on one device.
///
/// Call ``run()`` at each launch, before any other asynchronous work: after a push-to-start, iOS wakes the app only for
/// a few seconds, within which the new activity's push token has to reach the server.
public struct LiveActivities: Sendable {
    /// How long the Lock Screen keeps an ended activity, as by the server's default.
    static let dismissalDelay: TimeInterval = 15 * 60

    let environment: PushEnvironment
    let player: PlayerClient
    private let followsRaids: Bool
    private let reporter: LiveActivityReporter
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    private let journal = SharedJournal()
    private let onToken: @Sendable (String) -> Void

    /// Creates a connection for one player.
    /// - Parameters:
    ///   - player: a client for the player who owns the activities.
    ///   - deviceID: the identifier of this device: any UUID, chosen at the first launch and kept.
    ///   - environment: `sandbox` for builds from Xcode, `production` for TestFlight and the App Store.
    ///   - appBuild: the version of the app, for support only.
    ///   - followsRaids: whether the server starts the activities of raids, too, on iOS 18 or later: the app has a widget for
    ///     `RaidAttributes`, and the player wants them.
    ///   - alertToken: returns the newest token from `didRegisterForRemoteNotificationsWithDeviceToken`; after it has
    ///     changed, call ``deviceChanged()``.
    ///   - alerts: returns which alerts ring on this device; after a change, call ``deviceChanged()``.
    ///   - onToken: receives a line for the app's log for each token that iOS issues, with its first 8 hexadecimal digits.
    ///   - onError: receives the error of each report that the server rejects, for the app's log.
    public init(
        player: PlayerClient,
        deviceID: DeviceID,
        environment: PushEnvironment,
        appBuild: String? = nil,
        followsRaids: Bool = false,
        alertToken: @escaping @Sendable () -> Data? = { nil },
        alerts: @escaping @Sendable () -> AlertPreferences = { AlertPreferences() },
        onToken: @escaping @Sendable (String) -> Void = { _ in },
        onError: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        self.environment = environment
        self.player = player
        self.followsRaids = followsRaids
        self.onToken = onToken
        (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        reporter = LiveActivityReporter(player: player, on: deviceID) {
            let widgetToken = await Self.widgetToken
            let authorization = ActivityAuthorizationInfo()
            return DeviceSettings(
                environment: environment,
                locale: Locale.preferredLanguages.first,
                appBuild: appBuild,
                liveActivitiesEnabled: authorization.areActivitiesEnabled,
                frequentPushesEnabled: authorization.frequentPushesEnabled,
                followsRaids: followsRaids && Self.hasChannels,
                pushToStartToken: Activity<AdventureAttributes>.pushToStartToken,
                alertToken: alertToken(),
                widgetToken: widgetToken,
                alerts: alerts()
            )
        } onError: {
            onError($0)
        }
    }

    /// Whether iOS knows broadcast channels: earlier versions do not start the activities of raids.
    private static var hasChannels: Bool {
        if #available(iOS 18.0, *) { return true }
        return false
    }

    /// The newest token of the widgets; nil if none of them has a push handler, or if iOS cannot reload widgets by push.
    private static var widgetToken: Data? {
        get async {
            guard #available(iOS 26.0, *) else { return nil }
            return await WidgetCenter.shared.currentPushInfo?.token
        }
    }

    /// Counts a tap on an activity, for the server's statistics.
    public func tapped(_ activity: Activity<AdventureAttributes>) async {
        guard let adventureID = AdventureID(activity.attributes.adventureID) else { return }
        await journal.observe(.tapped, of: ActivityID(activityKitID: activity.id), showing: adventureID)
    }

    /// Tells the server that a setting or token of this device has changed that ActivityKit does not announce, such as the
    /// token of the widgets.
    public func deviceChanged() { change.yield() }

    /// Starts a Live Activity on this phone, with the stale date and the relevance that the server would give it;
    /// ``run()`` registers it.
    /// - Parameters:
    ///   - adventure: the adventure.
    ///   - party: the party on the adventure.
    ///   - playerID: the player who owns this phone.
    /// - Returns: the activity; nil if the player has no hero in the adventure.
    /// - Throws: ``LiveActivitiesError/disabled``; `ActivityAuthorizationError` if iOS does not allow the start for
    ///   another reason.
    @discardableResult
    public func start(
        _ adventure: AdventureResponse,
        of party: PartyResponse,
        for playerID: PlayerID
    ) throws -> Activity<AdventureAttributes>? {
        guard let (attributes, content) = try opening(of: adventure, of: party, for: playerID) else { return nil }
        return try Activity.request(attributes: attributes, content: content, pushType: .token)
    }

    /// Schedules a Live Activity on this phone; ``run()`` registers it with its start, from which its eight hours count.
    /// - Parameters:
    ///   - adventure: the adventure.
    ///   - party: the party on the adventure.
    ///   - playerID: the player who owns this phone.
    ///   - start: when the activity starts.
    ///   - alert: the alert with which it starts.
    /// - Returns: the activity; nil if the player has no hero in the adventure.
    /// - Throws: as ``start(_:of:for:)``.
    @available(iOS 26.0, *)
    @discardableResult
    public func schedule(
        _ adventure: AdventureResponse,
        of party: PartyResponse,
        for playerID: PlayerID,
        at start: Date,
        alert: AlertConfiguration
    ) throws -> Activity<AdventureAttributes>? {
        guard let (attributes, content) = try opening(of: adventure, of: party, for: playerID, at: start) else {
            return nil
        }
        let activity = try Activity.request(
            attributes: attributes,
            content: content,
            pushType: .token,
            style: .standard,
            alertConfiguration: alert,
            start: start
        )
        // The start is kept across launches, since ActivityKit does not tell it.
        UserDefaults.standard.set(start, forKey: Self.startKey(of: activity.id))
        return activity
    }

    /// Updates the activities of an adventure from its events until it is over, so that they are right even when pushes
    /// fail; call it while the app shows the adventure.
    ///
    /// An older state never replaces a newer one, from wherever that came. After the end of the adventure, the
    /// activities are ended, and leave the Lock Screen 15 minutes later.
    /// - Parameters:
    ///   - adventureID: the adventure.
    ///   - playerID: the player who owns this phone.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func followAdventure(_ adventureID: AdventureID, for playerID: PlayerID) async throws {
        let states = Self.running(showing: adventureID).compactMap { Self.activity($0)?.content.state }
        try await player.followFrames(
            of: adventureID,
            for: playerID,
            // The oldest, so that each activity gets what it misses.
            after: states.min { $0.sequence < $1.sequence },
            frequentPushesEnabled: ActivityAuthorizationInfo().frequentPushesEnabled
        ) { frame in
            // Each activity is looked up, because ActivityKit's objects may not be Sendable.
            for id in Self.running(showing: adventureID) {
                guard let activity = Self.activity(id), activity.content.state.sequence < frame.state.sequence else {
                    continue
                }
                if frame.state.isOver {
                    await activity.end(frame.content, dismissalPolicy: .after(Date() + Self.dismissalDelay))
                } else {
                    await activity.update(frame.content)
                }
            }
        }
    }

    /// Registers the device, syncs its activities with the server, forwards every push token, and releases activities
    /// that have ended, until the task is cancelled; call it once.
    public func run() async {
        await withDiscardingTaskGroup { group in
            // The running activities come first: after a push-to-start, their tokens have only seconds. They are listed
            // after the updates have begun, which are not documented to begin with them.
            let updates = Activity<AdventureAttributes>.activityUpdates
            // The tasks share identifiers, because ActivityKit's objects may not be Sendable.
            var followed: Set<String> = []
            for activity in Activity<AdventureAttributes>.activities where followed.insert(activity.id).inserted {
                group.addTask { [id = activity.id] in await follow(id) }
            }
            group.addTask { await reportDevice() }
            if followsRaids, #available(iOS 18.0, *) { group.addTask { await endDuplicatesOfRaids() } }
            group.addTask { await reporter.sync { Self.running().map { .init(activityKitID: $0) } } }
            group.addTask { await reporter.reportReceipts(changes: journal.changes) { await journal.receipts } }
            for await activity in updates where followed.insert(activity.id).inserted {
                group.addTask { [id = activity.id] in await follow(id) }
            }
        }
    }

    /// Returns the attributes and the first content of an activity that starts now or later.
    private func opening(
        of adventure: AdventureResponse,
        of party: PartyResponse,
        for playerID: PlayerID,
        at start: Date = Date()
    ) throws -> (AdventureAttributes, ActivityContent<AdventureAttributes.ContentState>)? {
        let authorization = ActivityAuthorizationInfo()
        guard authorization.areActivitiesEnabled else { throw LiveActivitiesError.disabled }
        let frequentPushesEnabled = authorization.frequentPushesEnabled
        guard let attributes = AdventureAttributes(of: adventure, party: party, for: playerID),
            let frame = ActivityFrame(
                of: adventure,
                for: playerID,
                frequentPushesEnabled: frequentPushesEnabled,
                at: start
            )
        else { return nil }
        return (attributes, frame.content)
    }

    /// Returns the identifiers of the running activities, of one adventure or of all.
    private static func running(showing adventureID: AdventureID? = nil) -> [String] {
        Activity<AdventureAttributes>.activities
            .filter { !$0.activityState.isOver }
            .filter { adventureID == nil || AdventureID($0.attributes.adventureID) == adventureID }
            .map(\.id)
    }

    private static func activity(_ id: String) -> Activity<AdventureAttributes>? {
        Activity<AdventureAttributes>.activities.first { $0.id == id }
    }

    private static func startKey(of id: String) -> String { "RangersClient.start.\(id)" }

    private func follow(_ id: String) async {
        guard let adventureID = Self.activity(id).flatMap({ AdventureID($0.attributes.adventureID) }) else { return }
        let activityID = ActivityID(activityKitID: id)
        let observe: @Sendable (ReceiptJournal.Observation) async -> Void = { [journal] observation in
            await journal.observe(observation, of: activityID, showing: adventureID)
        }
        let (updates, continuation) = AsyncStream.makeStream(of: ActivityUpdate.self)
        let forward: @Sendable (Data) -> Void = { [onToken] token in
            onToken("push token \(token.shortened) of activity \(activityID)")
            continuation.yield(.pushToken(token))
        }
        await withDiscardingTaskGroup { group in
            group.addTask {
                guard let activity = Self.activity(id) else { return }
                var last = activity.pushToken
                if let last { forward(last) }
                for await token in activity.pushTokenUpdates where token != last {
                    last = token
                    forward(token)
                    await observe(.tokenIssued)
                }
            }
            group.addTask {
                guard let activity = Self.activity(id) else { return }
                await observe(.shown(sequence: activity.content.state.sequence))
                for await content in activity.contentUpdates { await observe(.shown(sequence: content.state.sequence)) }
            }
            group.addTask {
                // An activity that has gone was dismissed.
                guard let activity = Self.activity(id) else {
                    continuation.yield(.ended)
                    return
                }
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
                startsAt: UserDefaults.standard.object(forKey: Self.startKey(of: id)) as? Date,
                updates: updates
            )
            group.cancelAll()
        }
        if !Self.running().contains(id) { UserDefaults.standard.removeObject(forKey: Self.startKey(of: id)) }
    }

    /// Registers the device, and registers it again after each change of a setting or of the push-to-start token.
    private func reportDevice() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await token in Activity<AdventureAttributes>.pushToStartTokenUpdates {
                    onToken("push-to-start token \(token.shortened)")
                    change.yield()
                }
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

/// A reason why ``LiveActivities`` starts no activity.
public enum LiveActivitiesError: Error, LocalizedError {
    /// The person, or the app's `Info.plist`, does not allow Live Activities.
    case disabled

    /// A description for developers, with the remedy.
    public var errorDescription: String? {
        """
        Live Activities are turned off: turn them on in Settings under the app's name, and check that the app's \
        Info.plist has NSSupportsLiveActivities.
        """
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

extension ActivityFrame {
    /// The frame for ActivityKit.
    fileprivate var content: ActivityContent<AdventureAttributes.ContentState> {
        ActivityContent(state: state, staleDate: staleDate, relevanceScore: relevanceScore)
    }
}

extension ActivityState {
    /// Whether the activity accepts no further pushes.
    var isOver: Bool { self == .ended || self == .dismissed }
}

extension Data {
    /// The first 8 hexadecimal digits of a token, which identify it in logs without disclosing it.
    fileprivate var shortened: String {
        prefix(4).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined() + "…"
    }
}
#endif
