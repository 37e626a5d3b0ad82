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

    @discardableResult
    private mutating func push(
        _ bytes: [UInt8],
        to token: PushToken? = nil,
        priority: PushRequest.Priority = .high,
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
        #expect(wall.storage.takeStored(for: 0, at: moment(back)).map(\.isExpired) == [!isShown])
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
        try wall.setPushToStartToken(startToken, of: phoneID, at: moment(0))
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

    @Test(arguments: [(0, false), (epoch + 30, false), (epoch + 31, true), (nil, true)])
    mutating func `a push that expires before its group is due does not wait`(
        expiration: Int64?,
        isGrouped: Bool
    ) throws {
        wall = PhoneWall(catalog: try smallCatalog(), groupingSeconds: 30)
        try hang()
        #expect(push(payload(tick: 1), priority: .low).entry.reaction == .grouped)
        let last = push(payload(tick: 2), to: tokens[1], priority: .low, expiration: expiration, at: 20)
        #expect(last.entry.reaction == (isGrouped ? .grouped : .shown))
        #expect(ticks == (isGrouped ? [nil, nil] : [1, 2]), "whoever is awake gets the others, too")
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
        push(payload(tick: 1), priority: .low)
        push(payload(timestamp: epoch + 1, tick: 2), priority: .low)
        try reach(false)
        _ = wall.advance(to: moment(30))
        #expect(ticks == [nil, nil])
        try reach(true, at: 40)
        #expect(ticks == [2, nil])
    }

    /// What the log says now, and since when if that came late.
    private var told: [PhoneActivity.Reaction?] { wall.log.entries(after: 0, limit: 99).map(\.reaction) }
    private var times: [Moment?] { wall.log.entries(after: 0, limit: 99).map(\.reactedAt) }

    @Test mutating func `the log says what becomes of a push that is stored`() throws {
        try reach(false)
        push(payload(tick: 1))
        push(payload(timestamp: epoch + 1, tick: 2), at: 1)
        #expect(told == [.replaced, .stored])
        #expect(wall.takeLateNews().entries.map(\.number) == [1])
        try reach(true, at: 5)
        #expect(told == [.replaced, .shown])
        #expect(times == [moment(1), moment(5)])
        try reach(false, at: 6)
        push(payload(timestamp: epoch + 6, tick: 3), expiration: epoch + 60, at: 6)
        try reach(true, at: 60)
        #expect(told.last == .expired)
        let news = wall.takeLateNews()
        #expect(news.entries.map(\.number) == [2, 3] && news.entries.map(\.reaction) == [.shown, .expired])
        #expect(wall.takeLateNews().entries.isEmpty && news.violations.isEmpty)
    }

    @Test mutating func `the log says what becomes of pushes that are grouped`() throws {
        wall = PhoneWall(catalog: try smallCatalog(), groupingSeconds: 30)
        try hang()
        _ = wall.advance(to: moment(0))
        push(payload(timestamp: epoch + 2, tick: 1), priority: .low)
        push(payload(timestamp: epoch + 1, tick: 2), priority: .low)
        _ = wall.advance(to: moment(30))
        #expect(told == [.shown, .outdated])
        #expect(times == [moment(30), moment(30)])
        push(payload(timestamp: epoch + 31, tick: 3), priority: .low, at: 31)
        try reach(false, at: 40)
        _ = wall.advance(to: moment(61))
        #expect(told.last == .stored)
        try reach(true, at: 70)
        #expect(told.last == .shown)
    }

    @Test mutating func `a stored start that is one too many is a violation when it comes through`() throws {
        var limits = PhoneLimits()
        limits.startsPerDay = 1
        wall = PhoneWall(catalog: try smallCatalog(), limits: limits)
        try hang()
        let startToken = PushToken(using: &generator)
        try wall.setPushToStartToken(startToken, of: phoneID, at: moment(0))
        let start = startPayload(of: Identifier<PhoneActivity.Adventure>(using: &generator).description)
        for (number, reaction) in [(1, PhoneActivity.Reaction.shown), (2, .overBudget)] {
            try reach(false)
            #expect(push(start, to: startToken, apnsID: "start \(number)").violations.isEmpty)
            try reach(true, at: 3)
            #expect(told.last == reaction)
        }
        #expect(wall.violations.map(\.kind) == [.tooManyStarts])
        #expect(wall.violations.map(\.apnsID) == ["start 2"] && wall.violations.map(\.time) == [moment(3)])
        #expect(wall.takeLateNews().violations == wall.violations)
        let started = try #require(try wall.phone(phoneID).activities.last)
        #expect(wall.log.entries(after: 0, limit: 2).map(\.activityID) == [started.id, nil])
    }
}
