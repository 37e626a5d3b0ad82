import Encodings
import LiveActivityContent
import Testing

@testable import APNsSimulator

/// Pushes that APNs holds, and their delivery.
@Suite struct StorageTests {
    private var wall: PhoneWall
    private var generator = SplitMix64(seed: 7)
    private let phoneID: WallID<Phone>
    private var tokens: [PushToken] = []

    init() throws {
        wall = PhoneWall(catalog: try smallCatalog())
        phoneID = WallID(using: &generator)
        try addPhoneToWall()
    }

    /// Adds a phone with two activities.
    private mutating func addPhoneToWall() throws {
        _ = try wall.addPhone(id: phoneID, label: "Mina", locale: "ko", frequentPushesEnabled: true)
        tokens = []
        for _ in 0..<2 {
            let token = PushToken(using: &generator)
            let activity = PhoneActivity(
                id: WallID(using: &generator),
                adventureID: WallID(using: &generator),
                heroName: nil,
                partyName: nil,
                token: token,
                startedAt: moment(0)
            )
            try wall.start(activity, on: phoneID)
            tokens.append(token)
        }
    }

    @discardableResult
    private mutating func push(
        _ bytes: [UInt8],
        to token: PushToken? = nil,
        priority: ReceivedPush.Priority = .high,
        expiration: Int64? = epoch + 600,
        apnsID: String = "a",
        at seconds: Int64 = 0
    ) -> PhoneWall.Outcome {
        wall.push(
            pushRequest(bytes, to: token ?? tokens[0], priority: priority, expiration: expiration),
            apnsID: apnsID,
            at: moment(seconds)
        )
    }

    private mutating func setOnline(_ isOnline: Bool, at seconds: Int64 = 0) throws {
        try wall.change(phoneID, .init(isOnline: isOnline), at: moment(seconds))
    }

    private var ticks: [Int?] { (try? wall.phone(phoneID).activities.map(\.shown?.tick)) ?? [] }

    @Test mutating func `an offline phone gets the last push for any of its activities`() throws {
        try setOnline(false)
        #expect(push(payload(tick: 1)).entry.reaction == .stored)
        #expect(push(payload(timestamp: epoch + 1, tick: 2), at: 1).entry.reaction == .stored)
        #expect(push(payload(tick: 3), to: tokens[1], at: 2).entry.reaction == .stored)
        #expect(ticks == [nil, nil])
        let before = try wall.phone(phoneID).revision
        try setOnline(true, at: 599)
        #expect(ticks == [nil, 3])
        #expect(try wall.phone(phoneID).revision > before)
        #expect(push(payload(timestamp: epoch + 600, tick: 4), at: 600).entry.reaction == .shown)
        try setOnline(true, at: 601)
        #expect(ticks == [4, 3], "it is delivered once")
        #expect(wall.violations.isEmpty)
    }

    @Test(arguments: [(epoch + 600, 599, true), (epoch + 600, 600, false), (nil, 2_000_000, true)])
    mutating func `a stored push expires`(expiration: Int64?, back: Int64, isShown: Bool) throws {
        try setOnline(false)
        // An activity's life is shorter than the longest expiration, so this test looks at the storage.
        #expect(push(payload(), expiration: expiration).entry.reaction == .stored)
        #expect(wall.storage.takeStored(for: 0, at: moment(back)).map(\.isExpired) == [!isShown])
        #expect(wall.storage.takeStored(for: 0, at: moment(0)).isEmpty)
    }

    @Test(arguments: [0, epoch - 1])
    mutating func `a push that must not be stored is dropped`(expiration: Int64) throws {
        try setOnline(false)
        #expect(push(payload(tick: 1)).entry.reaction == .stored)
        #expect(push(payload(timestamp: epoch + 1, tick: 2), expiration: expiration).entry.reaction == .offline)
        try setOnline(true, at: 1)
        #expect(ticks == [1, nil])
    }

    @Test mutating func `a stored start is delivered, and a replaced end still counts as sent`()
        throws
    {
        let startToken = PushToken(using: &generator)
        try wall.setToken(startToken, .pushToStart, of: phoneID, at: moment(0))
        try setOnline(false)
        #expect(push(payload("end"), apnsID: "end").entry.reaction == .stored)
        #expect(push(payload(timestamp: epoch + 1)).violations.map(\.kind) == [.pushAfterEnd])
        let adventure = WallID<PhoneActivity.Adventure>(using: &generator)
        #expect(push(startPayload(of: adventure.description), to: startToken).entry.reaction == .stored)
        try setOnline(true)
        #expect(try wall.phone(phoneID).activities.map(\.isStartedByPush) == [false, false, true])
    }

    @Test mutating func `pushes of priority 5 are delivered together after a time or with one of priority 10`()
        throws
    {
        wall = PhoneWall(catalog: try smallCatalog(), groupingSeconds: 30)
        try addPhoneToWall()
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

    @Test(arguments: [(0, false), (epoch + 30, false), (epoch + 31, true), (nil, true)])
    mutating func `a push that expires before its group is due does not wait`(
        expiration: Int64?,
        isGrouped: Bool
    ) throws {
        wall = PhoneWall(catalog: try smallCatalog(), groupingSeconds: 30)
        try addPhoneToWall()
        #expect(push(payload(tick: 1), priority: .low).entry.reaction == .grouped)
        let last = push(payload(tick: 2), to: tokens[1], priority: .low, expiration: expiration, at: 20)
        #expect(last.entry.reaction == (isGrouped ? .grouped : .shown))
        #expect(ticks == (isGrouped ? [nil, nil] : [1, 2]), "a phone that is awake gets the whole group")
    }

    @Test mutating func `a full group is delivered with the next push`() throws {
        wall = PhoneWall(catalog: try smallCatalog(), groupingSeconds: 30)
        try addPhoneToWall()
        for tick in 1...PushStorage.maxGroupSize {
            let bytes = payload(timestamp: epoch + Int64(tick), tick: tick)
            #expect(push(bytes, priority: .low).entry.reaction == .grouped)
        }
        #expect(ticks == [nil, nil])
        #expect(push(payload(tick: 7), to: tokens[1], priority: .low).entry.reaction == .shown)
        #expect(ticks == [PushStorage.maxGroupSize, 7])
    }

    @Test mutating func `the last push of a group is stored for an offline phone`() throws {
        wall = PhoneWall(catalog: try smallCatalog(), groupingSeconds: 30)
        try addPhoneToWall()
        _ = wall.advance(to: moment(0))
        push(payload(tick: 1), priority: .low)
        push(payload(timestamp: epoch + 1, tick: 2), priority: .low)
        try setOnline(false)
        _ = wall.advance(to: moment(30))
        #expect(ticks == [nil, nil])
        try setOnline(true, at: 40)
        #expect(ticks == [2, nil])
    }

    /// The reactions in the log.
    private var reactions: [PhoneActivity.Reaction?] { wall.log.entries(after: 0, limit: 99).map(\.reaction) }
    private var times: [Timestamp?] { wall.log.entries(after: 0, limit: 99).map(\.reactedAt) }

    @Test mutating func `the log has the outcome of a stored push`() throws {
        try setOnline(false)
        push(payload(tick: 1))
        push(payload(timestamp: epoch + 1, tick: 2), at: 1)
        #expect(reactions == [.replaced, .stored])
        #expect(wall.takeDelayedOutcomes().entries.map(\.number) == [1])
        try setOnline(true, at: 5)
        #expect(reactions == [.replaced, .shown])
        #expect(times == [moment(1), moment(5)])
        try setOnline(false, at: 6)
        push(payload(timestamp: epoch + 6, tick: 3), expiration: epoch + 60, at: 6)
        try setOnline(true, at: 60)
        #expect(reactions.last == .expired)
        let delayed = wall.takeDelayedOutcomes()
        #expect(delayed.entries.map(\.number) == [2, 3] && delayed.entries.map(\.reaction) == [.shown, .expired])
        #expect(wall.takeDelayedOutcomes().entries.isEmpty && delayed.violations.isEmpty)
    }

    @Test mutating func `the log has the outcomes of grouped pushes`() throws {
        wall = PhoneWall(catalog: try smallCatalog(), groupingSeconds: 30)
        try addPhoneToWall()
        _ = wall.advance(to: moment(0))
        push(payload(timestamp: epoch + 2, tick: 1), priority: .low)
        push(payload(timestamp: epoch + 1, tick: 2), priority: .low)
        _ = wall.advance(to: moment(30))
        #expect(reactions == [.shown, .outdated])
        #expect(times == [moment(30), moment(30)])
        push(payload(timestamp: epoch + 31, tick: 3), priority: .low, at: 31)
        try setOnline(false, at: 40)
        _ = wall.advance(to: moment(61))
        #expect(reactions.last == .stored)
        try setOnline(true, at: 70)
        #expect(reactions.last == .shown)
    }

    @Test mutating func `a stored start beyond the limit is a violation on delivery`() throws {
        var limits = PhoneLimits()
        limits.startsPerDay = 1
        wall = PhoneWall(catalog: try smallCatalog(), limits: limits)
        try addPhoneToWall()
        let startToken = PushToken(using: &generator)
        try wall.setToken(startToken, .pushToStart, of: phoneID, at: moment(0))
        let start = startPayload(of: WallID<PhoneActivity.Adventure>(using: &generator).description)
        for (number, reaction) in [(1, PhoneActivity.Reaction.shown), (2, .overBudget)] {
            try setOnline(false)
            #expect(push(start, to: startToken, apnsID: "start \(number)").violations.isEmpty)
            try setOnline(true, at: 3)
            #expect(reactions.last == reaction)
        }
        #expect(wall.violations.map(\.kind) == [.tooManyStarts])
        #expect(wall.violations.map(\.apnsID) == ["start 2"] && wall.violations.map(\.time) == [moment(3)])
        #expect(wall.takeDelayedOutcomes().violations == wall.violations)
        let started = try #require(try wall.phone(phoneID).activities.last)
        #expect(wall.log.entries(after: 0, limit: 2).map(\.activityID) == [started.id, nil])
    }
}
