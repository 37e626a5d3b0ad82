import Encodings
import LiveActivityContent
import Testing

@testable import APNsSimulator

/// A phone's settings, its budget, and its connectivity.
@Suite struct PhoneSettingsTests {
    private var wall: PhoneWall
    private var generator = SplitMix64(seed: 7)
    private let phoneID: WallID<Phone>
    private let activityID: WallID<PhoneActivity>
    private let token: PushToken

    init() throws {
        try self.init(dismissalDelaySeconds: 0)
    }

    private init(dismissalDelaySeconds: Int64) throws {
        var limits = PhoneLimits()
        limits.dismissalDelaySeconds = dismissalDelaySeconds
        limits.standardHighPerHour = 2
        limits.frequentHighPerHour = 3
        wall = PhoneWall(catalog: try smallCatalog(), limits: limits)
        phoneID = WallID(using: &generator)
        activityID = WallID(using: &generator)
        token = PushToken(using: &generator)
        _ = try wall.addPhone(id: phoneID, label: "Mina", locale: "ko", frequentPushesEnabled: true)
        try wall.start(
            PhoneActivity(
                id: activityID,
                adventureID: WallID(rawValue: activityID.rawValue),
                heroName: nil,
                partyName: nil,
                token: token,
                startedAt: moment(0)
            ),
            on: phoneID
        )
    }

    private var activity: PhoneActivity {
        get throws { try #require(try wall.phone(phoneID).activities.first) }
    }

    /// The event texts on the phone's activities.
    private var eventTexts: [String?] {
        get throws {
            PhoneView(try wall.phone(phoneID), in: wall.catalog, at: moment(0)).activities.map(\.eventText)
        }
    }

    @discardableResult
    private mutating func push(
        _ timestamp: Int64,
        priority: ReceivedPush.Priority = .high,
        at now: Timestamp = moment(0)
    ) -> PhoneWall.Outcome {
        let bytes = payload(timestamp: epoch + timestamp, tick: Int(timestamp))
        let request = pushRequest(bytes, to: token, priority: priority, expiration: epoch)
        return wall.push(request, apnsID: "\(timestamp), \(priority)", at: now)
    }

    private mutating func advance(_ seconds: Int64) -> [Phone] { wall.advance(to: moment(seconds)) }

    @Test mutating func `pushes beyond the budget are accepted and not shown, except at priority 5`() throws {
        for timestamp in 1...3 { #expect(push(Int64(timestamp)).entry.reaction == .shown) }
        let throttled = push(4)
        #expect(throttled.rejection == nil)
        #expect(throttled.entry.reaction == .throttled)
        #expect(throttled.entry.budgetLeft == 0)
        #expect(throttled.violations.isEmpty)
        #expect(try activity.shown?.tick == 3)
        #expect(push(5, priority: .low).entry.reaction == .shown)
        #expect(push(3600, at: moment(3600)).entry.reaction == .shown)
        #expect(try activity.counts.highPriority == 5)
    }

    @Test mutating func `timestamps must grow, also past throttled pushes`() throws {
        for timestamp in 1...4 { push(Int64(timestamp)) }
        let older = push(4, priority: .low)
        #expect(older.violations.map(\.kind) == [.timestampNotGrowing])
        #expect(older.entry.reaction == .shown)
    }

    @Test mutating func `a phone without frequent pushes has a smaller budget`() throws {
        try wall.change(phoneID, .init(frequentPushesEnabled: false), at: moment(0))
        #expect(try wall.phone(phoneID).highPriorityBudget.remaining(at: moment(0)) == 2)
    }

    @Test mutating func `changing the setting for frequent pushes ends every running activity and its token`() throws {
        push(1)
        try wall.change(phoneID, .init(frequentPushesEnabled: true), at: moment(5))
        #expect(try activity.status(at: moment(5)) == .active)
        try wall.change(phoneID, .init(frequentPushesEnabled: false), at: moment(6))
        #expect(try activity.status(at: moment(6)) == .ended)
        #expect(try activity.end?.cause == .settings)
        #expect(try activity.end?.dismissalDate == epoch + 6 + 4 * 3600)
        let late = push(2, at: moment(7))
        #expect(late.rejection == .unregistered)
        #expect(late.invalidSince == moment(6))
        #expect(try activity.shown?.tick == 1)
        // The activity is still visible and can be swiped away, although its token is already invalid.
        try wall.swipeAway(activityID, on: phoneID, at: moment(8))
        #expect(try activity.status(at: moment(8)) == .dismissed)
        #expect(try activity.end?.cause == .settings)
    }

    @Test mutating func `without Live Activities running ones end, and neither app nor pushes start others`() throws {
        push(1)
        let starter = PushToken(using: &generator)
        try wall.setToken(starter, .pushToStart, of: phoneID, at: moment(0))
        try wall.change(phoneID, .init(liveActivitiesEnabled: false), at: moment(6))
        #expect(try activity.end?.cause == .settings)
        let other = PhoneActivity(
            id: WallID(using: &generator),
            adventureID: WallID(using: &generator),
            heroName: nil,
            partyName: nil,
            token: PushToken(using: &generator),
            startedAt: moment(7)
        )
        #expect(throws: WallError.activitiesOff) { try wall.start(other, on: phoneID) }
        let start = wall.push(pushRequest(startPayload(of: activityID.description), to: starter), at: moment(7))
        #expect(start.rejection == nil && start.entry.reaction == .activitiesOff)
        try wall.change(phoneID, .init(liveActivitiesEnabled: true), at: moment(8))
        try wall.start(other, on: phoneID)
    }

    @Test(arguments: [true, false])
    func `APNs learns of a removed activity with a delay`(isSwiped: Bool) throws {
        var test = try Self(dismissalDelaySeconds: 30)
        test.push(1)
        if isSwiped {
            try test.wall.swipeAway(test.activityID, on: test.phoneID, at: moment(5))
        } else {
            try test.wall.change(test.phoneID, .init(frequentPushesEnabled: false), at: moment(5))
        }
        let early = test.push(2, at: moment(34))
        #expect(early.rejection == nil && early.entry.reaction == .over && early.violations.isEmpty)
        let rejected = test.push(3, at: moment(35))
        #expect(rejected.rejection == .unregistered)
        #expect(rejected.invalidSince == moment(35))
    }

    @Test mutating func `an offline phone shows nothing new and becomes stale`() throws {
        push(1)
        try wall.change(phoneID, .init(isOnline: false), at: moment(5))
        let missed = push(2, at: moment(6))
        #expect(missed.rejection == nil)
        #expect(missed.entry.reaction == .offline)
        #expect(try activity.shown?.tick == 1)
        #expect(try activity.status(at: moment(600)) == .stale)
        #expect(try wall.phone(phoneID).highPriorityBudget.remaining(at: moment(6)) == 2)
        try wall.change(phoneID, .init(isOnline: true), at: moment(7))
        #expect(push(3, at: moment(8)).entry.reaction == .shown)
    }

    @Test mutating func `changing the language translates the shown event`() throws {
        push(1)
        #expect(try eventTexts == ["Spouty 쓰러짐!"])
        try wall.change(phoneID, .init(locale: "en"), at: moment(1))
        #expect(try eventTexts == ["Spouty is down!"])
        #expect(try wall.phone(phoneID).locale == "en")
    }

    @Test mutating func `heroes have names in the phone's language`() throws {
        push(1)
        let strings = #"{"Spouty": {"localizations": {"ko": {"stringUnit": {"value": "물총이"}}}}}"#
        let catalog = try StringCatalog(decoding: Array(#"{"sourceLanguage": "en", "strings": \#(strings)}"#.utf8))
        let view = PhoneView(try wall.phone(phoneID), in: catalog, at: moment(0))
        #expect(view.activities.map(\.names) == [["Spouty": "물총이"]])
    }

    @Test mutating func `a change by time alone is reported once`() throws {
        #expect(advance(0).isEmpty)
        push(1)
        #expect(advance(599).isEmpty)
        let revision = try wall.phone(phoneID).revision
        let changed = advance(600)
        #expect(changed.map(\.id) == [phoneID])
        #expect(changed.map(\.revision) == [revision + 1])
        #expect(advance(601).isEmpty)
        #expect(advance(8 * 3600).map(\.id) == [phoneID])
    }
}
