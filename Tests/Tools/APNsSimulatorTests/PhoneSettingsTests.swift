import LiveActivityContent
import Testing

@testable import APNsSimulator

/// What a person does to a phone, and what it does by itself: the budget, Settings, the air plane.
@Suite struct PhoneSettingsTests {
    private var wall: PhoneWall
    private var generator = SeededGenerator(seed: 7)
    private let phoneID: Identifier<Phone>
    private let activityID: Identifier<PhoneActivity>
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
        phoneID = Identifier(using: &generator)
        activityID = Identifier(using: &generator)
        token = PushToken(using: &generator)
        _ = try wall.addPhone(id: phoneID, label: "Mina", locale: "ko", frequentPushesEnabled: true)
        try wall.start(
            PhoneActivity(
                id: activityID,
                adventureID: Identifier(rawValue: activityID.rawValue),
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

    /// What the phone says of its cards.
    private var eventTexts: [String?] {
        get throws {
            PhoneView(try wall.phone(phoneID), in: wall.catalog, at: moment(0)).activities.map(\.eventText)
        }
    }

    @discardableResult
    private mutating func push(
        _ timestamp: Int64,
        priority: PushRequest.Priority = .high,
        at now: Moment = moment(0)
    ) -> PhoneWall.Outcome {
        let bytes = payload(timestamp: epoch + timestamp, tick: Int(timestamp))
        let request = pushRequest(bytes, to: token, priority: priority, expiration: epoch)
        return wall.push(request, apnsID: "\(timestamp), \(priority)", at: now)
    }

    private mutating func advance(_ seconds: Int64) -> [Phone] { wall.advance(to: moment(seconds)) }

    @Test mutating func `what exceeds the budget is accepted and not shown, but for priority 5`() throws {
        for timestamp in 1...3 { #expect(push(Int64(timestamp)).entry.reaction == .shown) }
        let throttled = push(4)
        #expect(throttled.refusal == nil)
        #expect(throttled.entry.reaction == .throttled)
        #expect(throttled.entry.budgetLeft == 0)
        #expect(throttled.violations.isEmpty)
        #expect(try activity.shown?.tick == 3)
        #expect(push(5, priority: .low).entry.reaction == .shown)
        #expect(push(3600, at: moment(3600)).entry.reaction == .shown)
        #expect(try activity.counts.highPriority == 5)
    }

    @Test mutating func `the timestamps of a sender must grow, also past what did not come through`() throws {
        for timestamp in 1...4 { push(Int64(timestamp)) }
        let older = push(4, priority: .low)
        #expect(older.violations.map(\.kind) == [.timestampNotGrowing])
        #expect(older.entry.reaction == .shown)
    }

    @Test mutating func `a phone without frequent pushes takes fewer`() throws {
        try wall.change(phoneID, .init(frequentPushesEnabled: false), at: moment(0))
        #expect(try wall.phone(phoneID).highBudget.left(at: moment(0)) == 2)
    }

    @Test mutating func `switching frequent pushes ends every running activity, and its token`() throws {
        push(1)
        try wall.change(phoneID, .init(frequentPushesEnabled: true), at: moment(5))
        #expect(try activity.status(at: moment(5)) == .active)
        try wall.change(phoneID, .init(frequentPushesEnabled: false), at: moment(6))
        #expect(try activity.status(at: moment(6)) == .ended)
        #expect(try activity.end?.cause == .settings)
        #expect(try activity.end?.dismissalDate == epoch + 6 + 4 * 3600)
        let late = push(2, at: moment(7))
        #expect(late.refusal == .unregistered)
        #expect(late.deadSince == moment(6))
        #expect(try activity.shown?.tick == 1)
        // The card is still there to be swiped away, though its token is dead already.
        try wall.swipeAway(activityID, on: phoneID, at: moment(8))
        #expect(try activity.status(at: moment(8)) == .dismissed)
        #expect(try activity.end?.cause == .settings)
    }

    @Test(arguments: [true, false])
    func `APNs takes a while to hear of what a person has removed`(isSwiped: Bool) throws {
        var test = try Self(dismissalDelaySeconds: 30)
        test.push(1)
        if isSwiped {
            try test.wall.swipeAway(test.activityID, on: test.phoneID, at: moment(5))
        } else {
            try test.wall.change(test.phoneID, .init(frequentPushesEnabled: false), at: moment(5))
        }
        let unheard = test.push(2, at: moment(34))
        #expect(unheard.refusal == nil && unheard.entry.reaction == .over && unheard.violations.isEmpty)
        let refused = test.push(3, at: moment(35))
        #expect(refused.refusal == .unregistered)
        #expect(refused.deadSince == moment(35))
    }

    @Test mutating func `a phone that is offline shows nothing new, and grows stale`() throws {
        push(1)
        try wall.change(phoneID, .init(isOnline: false), at: moment(5))
        let missed = push(2, at: moment(6))
        #expect(missed.refusal == nil)
        #expect(missed.entry.reaction == .offline)
        #expect(try activity.shown?.tick == 1)
        #expect(try activity.status(at: moment(600)) == .stale)
        #expect(try wall.phone(phoneID).highBudget.left(at: moment(6)) == 2)
        try wall.change(phoneID, .init(isOnline: true), at: moment(7))
        #expect(push(3, at: moment(8)).entry.reaction == .shown)
    }

    @Test mutating func `another language says the same event anew`() throws {
        push(1)
        #expect(try eventTexts == ["Spouty 쓰러짐!"])
        try wall.change(phoneID, .init(locale: "en"), at: moment(1))
        #expect(try eventTexts == ["Spouty is down!"])
        #expect(try wall.phone(phoneID).locale == "en")
    }

    @Test mutating func `time alone changes a phone, and tells of it once`() throws {
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
