import LiveActivityContent
import Testing

@testable import APNsSimulator

/// What APNs keeps for phones, and when it comes through.
@Suite struct StorageTests {
    private var wall: PhoneWall
    private var generator = SeededGenerator(seed: 7)
    private let phoneID: Identifier<Phone>
    private var tokens: [PushToken] = []

    init() throws {
        wall = PhoneWall(catalog: try smallCatalog())
        phoneID = Identifier(using: &generator)
        try hang()
    }

    /// Hangs a phone with two activities on the wall.
    private mutating func hang() throws {
        _ = try wall.addPhone(id: phoneID, label: "Mina", locale: "ko", frequentPushesEnabled: true)
        tokens = []
        for _ in 0..<2 {
            let token = PushToken(using: &generator)
            let activity = PhoneActivity(
                id: Identifier(using: &generator),
                adventureID: Identifier(using: &generator),
                heroName: nil,
                partyName: nil,
                token: token,
                startedAt: moment(0)
            )
            try wall.start(activity, on: phoneID)
            tokens.append(token)
        }
    }

    private mutating func push(
        _ bytes: [UInt8],
        to token: PushToken? = nil,
        priority: PushRequest.Priority = .high,
        expiration: Int64? = epoch + 600,
        apnsID: String = "a",
        at seconds: Int64 = 0
    ) -> PhoneWall.Outcome {
        let request = PushRequest(
            token: token ?? tokens[0],
            topic: topic,
            priority: priority,
            expirationEpochSeconds: expiration,
            payload: bytes
        )
        let identity = PhoneActivity.Identity(id: Identifier(using: &generator), token: PushToken(using: &generator))
        return wall.receive(
            .init(time: moment(seconds), apnsID: apnsID, payload: bytes, request: .success(request), identity: identity)
        )
    }

    private mutating func reach(_ isOnline: Bool, at seconds: Int64 = 0) throws {
        try wall.change(phoneID, .init(isOnline: isOnline), at: moment(seconds))
    }

    private var ticks: [Int?] { (try? wall.phone(phoneID).activities.map(\.shown?.tick)) ?? [] }

    @Test mutating func `of the pushes for a phone out of reach the last comes through, whatever it is for`() throws {
        try reach(false)
        #expect(push(payload(tick: 1)).entry.reaction == .stored)
        #expect(push(payload(timestamp: epoch + 1, tick: 2), at: 1).entry.reaction == .stored)
        #expect(push(payload(tick: 3), to: tokens[1], at: 2).entry.reaction == .stored)
        #expect(ticks == [nil, nil])
        let before = try wall.phone(phoneID).revision
        try reach(true, at: 599)
        #expect(ticks == [nil, 3])
        #expect(try wall.phone(phoneID).revision > before)
        #expect(push(payload(timestamp: epoch + 600, tick: 4), at: 600).entry.reaction == .shown)
        try reach(true, at: 601)
        #expect(ticks == [4, 3], "it comes through once")
        #expect(wall.violations.isEmpty)
    }

    @Test(arguments: [(epoch + 600, 599, true), (epoch + 600, 600, false), (nil, 2_000_000, true)])
    mutating func `what is stored expires`(expiration: Int64?, back: Int64, isShown: Bool) throws {
        try reach(false)
        // Long after its life no activity shows anything, so this looks at what is stored.
        #expect(push(payload(), expiration: expiration).entry.reaction == .stored)
        #expect(wall.storage.takeStored(for: 0, at: moment(back)).isEmpty != isShown)
        #expect(wall.storage.takeStored(for: 0, at: moment(0)).isEmpty)
    }

    @Test(arguments: [0, epoch - 1])
    mutating func `what is not to be kept is gone`(expiration: Int64) throws {
        try reach(false)
        #expect(push(payload(tick: 1)).entry.reaction == .stored)
        #expect(push(payload(timestamp: epoch + 1, tick: 2), expiration: expiration).entry.reaction == .offline)
        try reach(true, at: 1)
        #expect(ticks == [1, nil])
    }

    @Test mutating func `a stored start starts, and a stored end that is overtaken is still an end for its sender`()
        throws
    {
        let startToken = PushToken(using: &generator)
        try wall.setPushToStartToken(startToken, of: phoneID)
        try reach(false)
        #expect(push(payload("end"), apnsID: "end").entry.reaction == .stored)
        #expect(push(payload(timestamp: epoch + 1)).violations.map(\.kind) == [.pushAfterEnd])
        let adventure = Identifier<PhoneActivity.Adventure>(using: &generator)
        #expect(push(startPayload(of: adventure.description), to: startToken).entry.reaction == .stored)
        try reach(true)
        #expect(try wall.phone(phoneID).activities.map(\.isStartedByPush) == [false, false, true])
    }

    @Test mutating func `pushes of priority 5 come together when their time is over or one of priority 10 comes`()
        throws
    {
        wall = PhoneWall(catalog: try smallCatalog(), groupingSeconds: 30)
        try hang()
        _ = wall.advance(to: moment(0))
        #expect(push(payload(tick: 1), priority: .low).entry.reaction == .grouped)
        #expect(push(payload(tick: 2), to: tokens[1], priority: .low, at: 20).entry.reaction == .grouped)
        #expect(wall.advance(to: moment(29)).isEmpty)
        #expect(ticks == [nil, nil])
        #expect(wall.advance(to: moment(30)).map(\.id) == [phoneID])
        #expect(ticks == [1, 2])
        #expect(push(payload(timestamp: epoch + 31, tick: 3), priority: .low, at: 31).entry.reaction == .grouped)
        #expect(push(payload(timestamp: epoch + 32, tick: 4), to: tokens[1], at: 32).entry.reaction == .shown)
        #expect(ticks == [3, 4])
        #expect(wall.advance(to: moment(90)).isEmpty)
    }

    @Test mutating func `a group that is full comes with the next push`() throws {
        wall = PhoneWall(catalog: try smallCatalog(), groupingSeconds: 30)
        try hang()
        for tick in 1...PushStorage.largestGroup {
            let bytes = payload(timestamp: epoch + Int64(tick), tick: tick)
            #expect(push(bytes, priority: .low).entry.reaction == .grouped)
        }
        #expect(ticks == [nil, nil])
        #expect(push(payload(tick: 7), to: tokens[1], priority: .low).entry.reaction == .shown)
        #expect(ticks == [PushStorage.largestGroup, 7])
    }

    @Test mutating func `a group for a phone that goes out of reach leaves its last push`() throws {
        wall = PhoneWall(catalog: try smallCatalog(), groupingSeconds: 30)
        try hang()
        _ = wall.advance(to: moment(0))
        _ = push(payload(tick: 1), priority: .low)
        _ = push(payload(timestamp: epoch + 1, tick: 2), priority: .low)
        try reach(false)
        _ = wall.advance(to: moment(30))
        #expect(ticks == [nil, nil])
        try reach(true, at: 40)
        #expect(ticks == [2, nil])
    }
}
