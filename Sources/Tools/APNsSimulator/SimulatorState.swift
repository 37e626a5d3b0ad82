import Encodings
import Foundation
import Synchronization

/// The state that the APNs endpoints and the web API share: the phone wall, the faults, the clock and the randomness.
///
/// Every change is also published to the ``WallFeed``. Feed and responses can overtake each other, so readers compare
/// the numbers (`revision`, `number`) instead of the order of arrival.
final class SimulatorState: Sendable {
    /// The feed that publishes changes.
    let feed: WallFeed
    /// The app's localized strings.
    let catalog: StringCatalog

    private let environment: EmulatedEnvironment
    private let now: @Sendable () -> Timestamp
    private let state: Mutex<State>

    private struct State {
        var wall: PhoneWall
        var faults: PushFaultInjector
        var generator: SplitMix64
    }

    /// Creates the state of a simulator.
    /// - Parameters:
    ///   - wall: the initial wall, usually without phones.
    ///   - environment: the APNs environment to emulate.
    ///   - seed: seeds the faults' generators.
    ///   - generator: draws identifiers and tokens.
    ///   - now: returns the current time.
    init(
        wall: PhoneWall,
        environment: EmulatedEnvironment = .sandbox,
        seed: UInt64 = 0,
        generator: SplitMix64,
        now: @escaping @Sendable () -> Timestamp
    ) {
        state = Mutex(State(wall: wall, faults: PushFaultInjector(seed: seed), generator: generator))
        self.environment = environment
        self.now = now
        catalog = wall.catalog
        feed = WallFeed(catalog: wall.catalog)
    }

    /// The current time.
    var time: Timestamp { now() }

    /// Reads the wall under its lock, so `body` must be short.
    func read<Value: Sendable, Failure: Error>(
        _ body: (PhoneWall) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { state throws(Failure) in try body(state.wall) }
    }

    /// Adds a phone.
    func addPhone(
        label: String,
        locale: String,
        frequentPushesEnabled: Bool,
        liveActivitiesEnabled: Bool = true,
        model: Phone.Model = .iPhone,
        owner: String? = nil
    ) throws(WallError) -> Phone {
        let phone = try state.withLock { state throws(WallError) in
            try state.wall.addPhone(
                id: WallID(using: &state.generator),
                label: label,
                locale: locale,
                frequentPushesEnabled: frequentPushesEnabled,
                liveActivitiesEnabled: liveActivitiesEnabled,
                model: model,
                owner: owner
            )
        }
        feed.publish(phone, at: now())
        return phone
    }

    /// Starts an activity on a phone, as the app would, and returns its token.
    ///
    /// `makeActivity` creates the activity for its token and start.
    func startActivity(
        on phoneID: WallID<Phone>,
        following channelID: Channel.ID? = nil,
        _ makeActivity: (PushToken, Timestamp) -> PhoneActivity
    ) throws(WallError) -> PushToken {
        try change(phoneID) { wall, token, now throws(WallError) in
            try wall.start(makeActivity(token, now), on: phoneID, following: channelID)
        }
    }

    /// Changes a phone's settings, as its user would.
    func change(_ phoneID: WallID<Phone>, _ change: PhoneWall.Change) throws(WallError) {
        _ = try self.change(phoneID) { wall, _, now throws(WallError) in
            try wall.change(phoneID, change, at: now)
        }
    }

    /// Advances the wall to the current time and publishes the changes.
    func advanceTime() {
        let now = now()
        let (phones, delayed) = state.withLock { ($0.wall.advance(to: now), $0.wall.takeDelayedOutcomes()) }
        publish(phones, delayed, at: now)
    }

    /// Rotates one of the app's tokens on a phone and returns the new one.
    func renewToken(_ kind: AppToken.Kind, of phoneID: WallID<Phone>) throws(WallError) -> PushToken {
        try change(phoneID) { wall, token, now throws(WallError) in
            try wall.setToken(token, kind, of: phoneID, at: now)
        }
    }

    /// Sets the content of a phone's widgets, as the app does after a reload.
    func setWidgets(_ content: WidgetContent, of phoneID: WallID<Phone>) throws(WallError) {
        _ = try change(phoneID) { wall, _, _ throws(WallError) in try wall.setWidgets(content, of: phoneID) }
    }

    /// Rotates an activity's token and returns the new one.
    func rotateToken(
        of activityID: WallID<PhoneActivity>,
        on phoneID: WallID<Phone>
    ) throws(WallError) -> PushToken {
        try change(phoneID) { wall, token, now throws(WallError) in
            try wall.rotateToken(of: activityID, on: phoneID, to: token, at: now)
        }
    }

    /// Swipes an activity away, as the user would.
    func swipeAway(_ activityID: WallID<PhoneActivity>, on phoneID: WallID<Phone>) throws(WallError) {
        _ = try change(phoneID) { wall, _, now throws(WallError) in
            try wall.swipeAway(activityID, on: phoneID, at: now)
        }
    }

    /// Processes a request to push.
    /// - Parameters:
    ///   - apnsID: the sender's identifier; nil to generate one.
    ///   - headers: the headers for the log.
    ///   - payload: the body.
    ///   - check: validates the request at the current time, or throws the rejection.
    /// - Returns: the response of APNs, and the changes.
    @discardableResult
    func receive(
        apnsID: String?,
        headers: [PushLog.Header] = [],
        payload: [UInt8],
        check: (Timestamp) throws(RejectionReason) -> ReceivedPush
    ) -> PhoneWall.Outcome {
        let now = now()
        let request = Result { () throws(RejectionReason) in try check(now) }
        let (outcome, phones, delayed) = state.withLock { state in
            let arrival = arrival(apnsID, headers, payload, request, at: now, &state)
            state.wall.forgetDismissed(at: now)
            let outcome = state.wall.receive(arrival)
            let phones = feed.hasSubscribers ? outcome.phoneIndices.map { state.wall.phones[$0] } : []
            return (outcome, phones, state.wall.takeDelayedOutcomes())
        }
        publish(phones, delayed, at: now)
        feed.publish(outcome.entry)
        outcome.violations.forEach(feed.publish)
        return outcome
    }

    private func arrival(
        _ apnsID: String?,
        _ headers: [PushLog.Header],
        _ payload: [UInt8],
        _ request: Result<ReceivedPush, RejectionReason>,
        at now: Timestamp,
        _ state: inout State
    ) -> PhoneWall.Arrival {
        // A rejection is kept in the result below.
        let valid = try? request.get()
        // APNs returns an `apns-unique-id` for pushes in the sandbox only, and for broadcasts in both environments.
        let hasUniqueID = environment == .sandbox || valid?.channelID != nil
        return PhoneWall.Arrival(
            time: now,
            apnsID: apnsID ?? UUID(randomUsing: &state.generator).lowercaseText,
            payload: payload,
            headers: headers,
            request: request,
            identitySeed: state.generator.next(),
            uniqueID: hasUniqueID ? UUID(randomUsing: &state.generator).uuidString : nil,
            injection: valid.map { state.faults.inject(at: .pushes, token: $0.token, topic: $0.topic, now: now) }
        )
    }

    private func publish(_ phones: [Phone], _ delayed: PhoneWall.DelayedOutcomes, at now: Timestamp) {
        for phone in phones { feed.publish(phone, at: now) }
        delayed.entries.forEach(feed.publish)
        delayed.violations.forEach(feed.publish)
    }

    /// Reads or changes the channels; `body` gets an unused identifier.
    func manageChannels<Value: Sendable>(
        _ body: (inout ChannelStore, Channel.ID) throws(RejectionReason) -> Value
    ) throws(RejectionReason) -> Value {
        try state.withLock { state throws(RejectionReason) in
            let id = Channel.ID(using: &state.generator)
            return try body(&state.wall.channels, id)
        }
    }

    /// Gives a channel a number of subscribers without a phone.
    func setCrowd(of channelID: Channel.ID, to count: Int) throws(WallError) {
        let exists = state.withLock { $0.wall.channels.setCrowd(of: channelID, to: count) }
        guard exists else { throw .unknownChannel }
    }

    /// Creates an identifier for a request without one.
    func makeRequestID() -> String {
        state.withLock { UUID(randomUsing: &$0.generator).lowercaseText }
    }

    // MARK: Faults

    /// Draws the faults for a management request for the app.
    func injectManagementFaults(of topic: String) -> PushFaultInjector.Injection {
        let now = now()
        return state.withLock { $0.faults.inject(at: .channels, token: nil, topic: topic, now: now) }
    }

    /// The added faults.
    var faults: PushFaultInjector { state.withLock { $0.faults } }

    /// Adds a fault.
    /// - Returns: the entry; nil at the limit of ``PushFaultInjector/maxFaults``.
    func addFault(_ fault: Fault) -> PushFaultInjector.Entry? {
        let now = now()
        return state.withLock { $0.faults.add(fault, at: now) }
    }

    /// Removes a fault.
    /// - Returns: false for an unknown number.
    func removeFault(_ number: Int) -> Bool {
        state.withLock { $0.faults.remove(number) }
    }

    /// Removes all faults.
    func removeFaults() {
        state.withLock { $0.faults.removeAll() }
    }

    /// Changes a phone; `body` gets an unused token.
    private func change(
        _ phoneID: WallID<Phone>,
        _ body: (inout PhoneWall, PushToken, Timestamp) throws(WallError) -> Void
    ) throws(WallError) -> PushToken {
        let now = now()
        let (phone, token, delayed) = try state.withLock { state throws(WallError) in
            let token = PushToken(using: &state.generator)
            state.wall.forgetDismissed(at: now)
            try body(&state.wall, token, now)
            return (try state.wall.phone(phoneID), token, state.wall.takeDelayedOutcomes())
        }
        publish([phone], delayed, at: now)
        return token
    }
}
