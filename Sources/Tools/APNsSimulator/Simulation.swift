import Foundation
import Synchronization

/// The wall of phones as APNs and the web share it, with the clock and the randomness that it runs on.
///
/// Every change goes to the ``WallFeed`` too. Feed and answers may cross each other, so readers go by the numbers
/// (`revision`, `number`) and not by the order of arrival.
final class Simulation: Sendable {
    /// Where changes are told.
    let feed: WallFeed
    /// The app's sentences.
    let catalog: StringCatalog

    private let environment: PushEnvironment
    private let now: @Sendable () -> Moment
    private let state: Mutex<State>

    private struct State {
        var wall: PhoneWall
        var faults: FaultBook
        var generator: SeededGenerator
    }

    /// - Parameters:
    ///   - wall: without phones, usually.
    ///   - environment: what it stands in for.
    ///   - seed: what faults are drawn from.
    ///   - generator: what identifiers and tokens are made from.
    ///   - now: the clock.
    init(
        wall: PhoneWall,
        environment: PushEnvironment = .sandbox,
        seed: UInt64 = 0,
        generator: SeededGenerator,
        now: @escaping @Sendable () -> Moment
    ) {
        state = Mutex(State(wall: wall, faults: FaultBook(seed: seed), generator: generator))
        self.environment = environment
        self.now = now
        catalog = wall.catalog
        feed = WallFeed(catalog: wall.catalog)
    }

    /// What the clock says.
    var time: Moment { now() }

    /// Reads from the wall as it is; nothing changes meanwhile, so `body` is to be short.
    func read<Answer: Sendable, Failure: Error>(
        _ body: (PhoneWall) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        try state.withLock { state throws(Failure) in try body(state.wall) }
    }

    /// Adds a phone.
    func addPhone(label: String, locale: String, frequentPushesEnabled: Bool) throws(WallError) -> Phone {
        let phone = try state.withLock { state throws(WallError) in
            try state.wall.addPhone(
                id: Identifier(using: &state.generator),
                label: label,
                locale: locale,
                frequentPushesEnabled: frequentPushesEnabled
            )
        }
        feed.publish(phone, at: now())
        return phone
    }

    /// Starts an activity on a phone, as the app would, and answers with its token.
    ///
    /// `makeActivity` makes the activity for the token and the time that it is given.
    func startActivity(
        on phoneID: Identifier<Phone>,
        following channelID: Channel.ID? = nil,
        _ makeActivity: (PushToken, Moment) -> PhoneActivity
    ) throws(WallError) -> PushToken {
        try change(phoneID) { wall, token, now throws(WallError) in
            try wall.start(makeActivity(token, now), on: phoneID, following: channelID)
        }
    }

    /// Changes what a person may change about a phone.
    func change(_ phoneID: Identifier<Phone>, _ change: PhoneWall.Change) throws(WallError) {
        _ = try self.change(phoneID) { wall, _, now throws(WallError) in
            try wall.change(phoneID, change, at: now)
        }
    }

    /// Tells of what time alone has changed.
    func letTimePass() {
        let now = now()
        let (phones, news) = state.withLock { ($0.wall.advance(to: now), $0.wall.takeLateNews()) }
        publish(phones, news, at: now)
    }

    /// Gives a phone a new push-to-start token, and answers with it.
    func renewPushToStartToken(of phoneID: Identifier<Phone>) throws(WallError) -> PushToken {
        try change(phoneID) { wall, token, now throws(WallError) in
            try wall.setPushToStartToken(token, of: phoneID, at: now)
        }
    }

    /// Gives an activity a new token.
    func rotateToken(
        of activityID: Identifier<PhoneActivity>,
        on phoneID: Identifier<Phone>
    ) throws(WallError) -> PushToken {
        try change(phoneID) { wall, token, now throws(WallError) in
            try wall.rotateToken(of: activityID, on: phoneID, to: token, at: now)
        }
    }

    /// Swipes an activity away, as a person would.
    func swipeAway(_ activityID: Identifier<PhoneActivity>, on phoneID: Identifier<Phone>) throws(WallError) {
        _ = try change(phoneID) { wall, _, now throws(WallError) in
            try wall.swipeAway(activityID, on: phoneID, at: now)
        }
    }

    /// Takes a request to push.
    /// - Parameters:
    ///   - apnsID: the sender's; one is made when it has none.
    ///   - headers: what else the request says, for people to read.
    ///   - payload: the body.
    ///   - check: what the request asks for at that time, or why it is refused.
    /// - Returns: what APNs answers, and what has changed.
    @discardableResult
    func receive(
        apnsID: String?,
        headers: [PushLog.Header] = [],
        payload: [UInt8],
        check: (Moment) throws(APNsRefusal) -> PushRequest
    ) -> PhoneWall.Outcome {
        let now = now()
        let request = Result { () throws(APNsRefusal) in try check(now) }
        let (outcome, phones, news) = state.withLock { state in
            let arrival = arrival(apnsID, headers, payload, request, at: now, &state)
            state.wall.forgetDismissed(at: now)
            let outcome = state.wall.receive(arrival)
            let phones = feed.isWatched ? outcome.phoneIndices.map { state.wall.phones[$0] } : []
            return (outcome, phones, state.wall.takeLateNews())
        }
        publish(phones, news, at: now)
        feed.publish(outcome.entry)
        outcome.violations.forEach(feed.publish)
        return outcome
    }

    private func arrival(
        _ apnsID: String?,
        _ headers: [PushLog.Header],
        _ payload: [UInt8],
        _ request: Result<PushRequest, APNsRefusal>,
        at now: Moment,
        _ state: inout State
    ) -> PhoneWall.Arrival {
        // A refusal goes on with the request, below.
        let good = try? request.get()
        // Apple names a push in the sandbox only, and a broadcast everywhere.
        let isNamed = environment == .sandbox || good?.channelID != nil
        return PhoneWall.Arrival(
            time: now,
            apnsID: apnsID ?? UUID(randomUsing: &state.generator).uuidString.lowercased(),
            payload: payload,
            headers: headers,
            request: request,
            chance: state.generator.next(),
            uniqueID: isNamed ? UUID(randomUsing: &state.generator).uuidString : nil,
            strike: good.map { state.faults.strike(.pushes, token: $0.token, topic: $0.topic, at: now) }
        )
    }

    private func publish(_ phones: [Phone], _ news: PhoneWall.LateNews, at now: Moment) {
        for phone in phones { feed.publish(phone, at: now) }
        news.entries.forEach(feed.publish)
        news.violations.forEach(feed.publish)
    }

    /// Does something with the channels of the app, with a new name at hand.
    func manageChannels<Answer: Sendable>(
        _ body: (inout ChannelStore, Channel.ID) throws(APNsRefusal) -> Answer
    ) throws(APNsRefusal) -> Answer {
        try state.withLock { state throws(APNsRefusal) in
            let id = Channel.ID(using: &state.generator)
            return try body(&state.wall.channels, id)
        }
    }

    /// Makes an identifier for a request that has none.
    func makeRequestID() -> String {
        state.withLock { UUID(randomUsing: &$0.generator).uuidString.lowercased() }
    }

    // MARK: Faults

    /// What goes wrong with a request for the app about its channels.
    func strikeManagement(of topic: String) -> FaultBook.Strike {
        let now = now()
        return state.withLock { $0.faults.strike(.channels, token: nil, topic: topic, at: now) }
    }

    /// The faults that are wanted.
    var faults: FaultBook { state.withLock { $0.faults } }

    /// Adds a fault; nil when there are too many.
    func addFault(_ fault: Fault) -> FaultBook.Entry? {
        let now = now()
        return state.withLock { $0.faults.add(fault, at: now) }
    }

    /// Removes a fault.
    /// - Returns: false when there is none of that number.
    func removeFault(_ number: Int) -> Bool {
        state.withLock { $0.faults.remove(number) }
    }

    /// Removes all faults.
    func removeFaults() {
        state.withLock { $0.faults.removeAll() }
    }

    /// Changes a phone with a fresh token at hand.
    private func change(
        _ phoneID: Identifier<Phone>,
        _ body: (inout PhoneWall, PushToken, Moment) throws(WallError) -> Void
    ) throws(WallError) -> PushToken {
        let now = now()
        let (phone, token, news) = try state.withLock { state throws(WallError) in
            let token = PushToken(using: &state.generator)
            state.wall.forgetDismissed(at: now)
            try body(&state.wall, token, now)
            return (try state.wall.phone(phoneID), token, state.wall.takeLateNews())
        }
        publish([phone], news, at: now)
        return token
    }
}
