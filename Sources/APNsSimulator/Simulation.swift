import Synchronization

/// The wall of phones as APNs and the web share it, with the clock and the randomness that it runs on.
///
/// Every change goes to the ``WallFeed`` too. Feed and answers may cross each other, so readers go by the numbers
/// (`revision`, `number`) and not by the order of arrival.
final class Simulation: Sendable {
    /// Where changes are told.
    let feed = WallFeed()

    private let environment: PushEnvironment
    private let now: @Sendable () -> Moment
    private let state: Mutex<State>

    private struct State {
        var wall: PhoneWall
        var faults: FaultBook
        var generator: any RandomNumberGenerator & Sendable
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
        generator: any RandomNumberGenerator & Sendable,
        now: @escaping @Sendable () -> Moment
    ) {
        state = Mutex(State(wall: wall, faults: FaultBook(seed: seed), generator: generator))
        self.environment = environment
        self.now = now
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

    /// Tells of the phones on which time alone has changed something.
    func letTimePass() {
        let now = now()
        let changed = state.withLock { $0.wall.advance(to: now) }
        for phone in changed { feed.publish(phone, at: now) }
    }

    /// Gives a phone a new push-to-start token, and answers with it.
    func renewPushToStartToken(of phoneID: Identifier<Phone>) throws(WallError) -> PushToken {
        try change(phoneID) { wall, token, _ throws(WallError) in
            try wall.setPushToStartToken(token, of: phoneID)
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
        check: (Moment) -> Result<PushRequest, APNsRefusal>
    ) -> PhoneWall.Outcome {
        let now = now()
        let request = check(now)
        let (outcome, phone) = state.withLock { state in
            let apnsID = apnsID ?? Identifier<PhoneWall.Arrival>(using: &state.generator).description
            let strike = (try? request.get()).map { state.faults.strike(token: $0.token, topic: $0.topic, at: now) }
            let arrival = PhoneWall.Arrival(
                time: now,
                apnsID: apnsID,
                payload: payload,
                headers: headers,
                request: request,
                identity: .init(id: Identifier(using: &state.generator), token: PushToken(using: &state.generator)),
                uniqueID: environment == .sandbox
                    ? Identifier<PhoneWall.Arrival>(using: &state.generator).description.uppercased() : nil,
                strike: strike
            )
            state.wall.forgetDismissed(at: now)
            let outcome = state.wall.receive(arrival)
            return (outcome, outcome.entry.phoneID.flatMap { try? state.wall.phone($0) })
        }
        publish(outcome, phone.map { [$0] } ?? [], at: now)
        return outcome
    }

    /// Takes a request to publish to a channel.
    /// - Parameters:
    ///   - requestID: the sender's; one is made when it has none.
    ///   - headers: what else the request says, for people to read.
    ///   - payload: the body.
    ///   - topic: what faults know it by.
    ///   - check: what the request asks for at that time, or why it is refused.
    /// - Returns: what APNs answers, and what has changed.
    func publish(
        requestID: String?,
        headers: [PushLog.Header] = [],
        payload: [UInt8],
        topic: String,
        check: (Moment) -> Result<BroadcastRequest, APNsRefusal>
    ) -> PhoneWall.Outcome {
        let now = now()
        let request = check(now)
        let outcome = state.withLock { state in
            let isInOrder = (try? request.get()) != nil
            let arrival = PhoneWall.BroadcastArrival(
                time: now,
                requestID: requestID ?? Identifier<PhoneWall.Arrival>(using: &state.generator).description,
                payload: payload,
                headers: headers,
                request: request,
                uniqueID: Identifier<PhoneWall.Arrival>(using: &state.generator).description.uppercased(),
                strike: isInOrder ? state.faults.strike(token: nil, topic: topic, at: now) : nil
            )
            state.wall.forgetDismissed(at: now)
            return state.wall.publish(arrival)
        }
        publish(outcome, outcome.followers, at: now)
        return outcome
    }

    private func publish(_ outcome: PhoneWall.Outcome, _ phones: [Phone], at now: Moment) {
        for phone in phones { feed.publish(phone, at: now) }
        feed.publish(outcome.entry)
        outcome.violations.forEach(feed.publish)
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
        state.withLock { Identifier<PhoneWall.Arrival>(using: &$0.generator).description }
    }

    // MARK: Faults

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
        let (phone, token) = try state.withLock { state throws(WallError) in
            let token = PushToken(using: &state.generator)
            state.wall.forgetDismissed(at: now)
            try body(&state.wall, token, now)
            return (try state.wall.phone(phoneID), token)
        }
        feed.publish(phone, at: now)
        return token
    }
}
