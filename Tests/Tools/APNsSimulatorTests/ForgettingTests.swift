import Testing

@testable import APNsSimulator

/// What the wall forgets as its clock goes on.
@Suite struct ForgettingTests {
    private static let hour: Int64 = 3600

    private let clock = Clock()
    private let simulation: Simulation
    private let phoneID: Identifier<Phone>
    private let activityID: Identifier<PhoneActivity>
    private let token: PushToken

    init() throws {
        simulation = Simulation(
            wall: PhoneWall(catalog: try smallCatalog()),
            generator: SeededGenerator(seed: 5),
            now: { [clock] in clock.now }
        )
        phoneID = try simulation.addPhone(label: "Mina", locale: "ko", frequentPushesEnabled: true).id
        activityID = Self.identifier(1)
        token = try Self.start(activityID, on: phoneID, in: simulation)
    }

    private static func identifier(_ seed: UInt64) -> Identifier<PhoneActivity> {
        var generator = SeededGenerator(seed: seed)
        return Identifier(using: &generator)
    }

    private static func start(
        _ id: Identifier<PhoneActivity>,
        on phoneID: Identifier<Phone>,
        in simulation: Simulation
    ) throws -> PushToken {
        try simulation.startActivity(on: phoneID) { token, now in
            PhoneActivity(
                id: id,
                adventureID: Identifier(rawValue: id.rawValue),
                heroName: nil,
                partyName: nil,
                token: token,
                startedAt: now
            )
        }
    }

    @discardableResult
    private func push(_ bytes: [UInt8] = payload(), to token: PushToken) -> PhoneWall.Outcome {
        simulation.receive(apnsID: nil, payload: bytes) { _ in
            pushRequest(bytes, to: token, priority: .low)
        }
    }

    private var activities: [PhoneActivity] { simulation.read(\.phones).flatMap(\.activities) }

    @Test func `an activity is remembered for an hour after it was swiped away, and its token with it`() throws {
        try simulation.swipeAway(activityID, on: phoneID)
        clock.seconds = Self.hour
        #expect(push(to: token).refusal == .unregistered)
        #expect(activities.map(\.id) == [activityID])
        clock.seconds = Self.hour + 60
        #expect(push(to: token).refusal == .badDeviceToken)
        #expect(activities.isEmpty)
    }

    @Test func `an activity that a push has ended is remembered for an hour after it has left the screen`() throws {
        push(payload("end", members: #", "dismissal-date": \#(epoch + 1000)"#), to: token)
        clock.seconds = 1000 + Self.hour
        #expect(push(to: token).refusal == .expiredToken)
        clock.seconds = 1060 + Self.hour
        #expect(push(to: token).refusal == .badDeviceToken)
    }

    @Test(arguments: [0, Int64.min])
    func `an end that dismisses in the past dismisses when it comes`(date: Int64) throws {
        clock.seconds = 7 * Self.hour
        push(payload("end", members: #", "dismissal-date": \#(date)"#), to: token)
        clock.seconds = 8 * Self.hour
        #expect(push(to: token).refusal == .expiredToken)
        clock.seconds = 8 * Self.hour + 60
        #expect(push(to: token).refusal == .badDeviceToken)
    }

    @Test func `what is still to be seen is kept, with the tokens that lead to it`() throws {
        let running = Self.identifier(2)
        let last = Self.identifier(3)
        let old = try Self.start(running, on: phoneID, in: simulation)
        let new = try simulation.rotateToken(of: running, on: phoneID)
        try simulation.swipeAway(activityID, on: phoneID)
        clock.seconds = 5 * Self.hour
        let lastToken = try Self.start(last, on: phoneID, in: simulation)
        #expect(activities.map(\.id) == [running, last])
        #expect(push(to: old).refusal == .unregistered)
        #expect(push(to: new).entry.activityID == running)
        #expect(push(to: lastToken).entry.activityID == last)
        #expect(activities.map(\.counts.lowPriority) == [1, 1])
    }

    @Test func `what is forgotten gives its phone a higher revision`() throws {
        try simulation.swipeAway(activityID, on: phoneID)
        let before = try simulation.read { wall throws(WallError) in try wall.phone(phoneID) }.revision
        clock.seconds = 2 * Self.hour
        push(to: token)
        #expect(try simulation.read { wall throws(WallError) in try wall.phone(phoneID) }.revision == before + 1)
    }

    @Test func `hours of short activities leave the wall no larger than one hour of them`() throws {
        try simulation.swipeAway(activityID, on: phoneID)
        for minute: Int64 in 1...600 {
            clock.seconds = minute * 60
            let id = Self.identifier(UInt64(minute) + 1)
            _ = try Self.start(id, on: phoneID, in: simulation)
            try simulation.swipeAway(id, on: phoneID)
        }
        #expect(activities.count == 61)
    }
}
