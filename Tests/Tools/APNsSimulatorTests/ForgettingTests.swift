import Testing

@testable import APNsSimulator

/// The wall's retention of dismissed activities.
@Suite struct ForgettingTests {
    private static let hour: Int64 = 3600

    private let clock = Clock()
    private let simulator: SimulatorState
    private let phoneID: WallID<Phone>
    private let activityID: WallID<PhoneActivity>
    private let token: PushToken

    init() throws {
        simulator = SimulatorState(
            wall: PhoneWall(catalog: try smallCatalog()),
            generator: SplitMix64(seed: 5),
            now: { [clock] in clock.now }
        )
        phoneID = try simulator.addPhone(label: "Mina", locale: "ko", frequentPushesEnabled: true).id
        activityID = Self.identifier(1)
        token = try Self.start(activityID, on: phoneID, in: simulator)
    }

    private static func identifier(_ seed: UInt64) -> WallID<PhoneActivity> {
        var generator = SplitMix64(seed: seed)
        return WallID(using: &generator)
    }

    private static func start(
        _ id: WallID<PhoneActivity>,
        on phoneID: WallID<Phone>,
        in simulator: SimulatorState
    ) throws -> PushToken {
        try simulator.startActivity(on: phoneID) { token, now in
            PhoneActivity(
                id: id,
                adventureID: WallID(rawValue: id.rawValue),
                heroName: nil,
                partyName: nil,
                token: token,
                startedAt: now
            )
        }
    }

    @discardableResult
    private func push(_ bytes: [UInt8] = payload(), to token: PushToken) -> PhoneWall.Outcome {
        simulator.receive(apnsID: nil, payload: bytes) { _ in
            pushRequest(bytes, to: token, priority: .low)
        }
    }

    private var activities: [PhoneActivity] { simulator.read(\.phones).flatMap(\.activities) }

    @Test func `a swiped-away activity and its token are kept for an hour`() throws {
        try simulator.swipeAway(activityID, on: phoneID)
        clock.seconds = Self.hour
        #expect(push(to: token).rejection == .unregistered)
        #expect(activities.map(\.id) == [activityID])
        clock.seconds = Self.hour + 60
        #expect(push(to: token).rejection == .badDeviceToken)
        #expect(activities.isEmpty)
    }

    @Test func `an ended activity is kept for an hour after its dismissal`() throws {
        push(payload("end", members: #", "dismissal-date": \#(epoch + 1000)"#), to: token)
        clock.seconds = 1000 + Self.hour
        #expect(push(to: token).rejection == .expiredToken)
        clock.seconds = 1060 + Self.hour
        #expect(push(to: token).rejection == .badDeviceToken)
    }

    @Test(arguments: [0, Int64.min])
    func `an end with a dismissal date in the past dismisses on arrival`(date: Int64) throws {
        clock.seconds = 7 * Self.hour
        push(payload("end", members: #", "dismissal-date": \#(date)"#), to: token)
        clock.seconds = 8 * Self.hour
        #expect(push(to: token).rejection == .expiredToken)
        clock.seconds = 8 * Self.hour + 60
        #expect(push(to: token).rejection == .badDeviceToken)
    }

    @Test func `visible activities and all their tokens are kept`() throws {
        let running = Self.identifier(2)
        let last = Self.identifier(3)
        let old = try Self.start(running, on: phoneID, in: simulator)
        let new = try simulator.rotateToken(of: running, on: phoneID)
        try simulator.swipeAway(activityID, on: phoneID)
        clock.seconds = 5 * Self.hour
        let lastToken = try Self.start(last, on: phoneID, in: simulator)
        #expect(activities.map(\.id) == [running, last])
        #expect(push(to: old).rejection == .unregistered)
        #expect(push(to: new).entry.activityID == running)
        #expect(push(to: lastToken).entry.activityID == last)
        #expect(activities.map(\.counts.lowPriority) == [1, 1])
    }

    @Test func `forgetting an activity increases its phone's revision`() throws {
        try simulator.swipeAway(activityID, on: phoneID)
        let before = try simulator.read { wall throws(WallError) in try wall.phone(phoneID) }.revision
        clock.seconds = 2 * Self.hour
        push(to: token)
        #expect(try simulator.read { wall throws(WallError) in try wall.phone(phoneID) }.revision == before + 1)
    }

    @Test func `hours of short activities take no more memory than one hour of them`() throws {
        try simulator.swipeAway(activityID, on: phoneID)
        for minute: Int64 in 1...600 {
            clock.seconds = minute * 60
            let id = Self.identifier(UInt64(minute) + 1)
            _ = try Self.start(id, on: phoneID, in: simulator)
            try simulator.swipeAway(id, on: phoneID)
        }
        #expect(activities.count == 61)
    }
}
