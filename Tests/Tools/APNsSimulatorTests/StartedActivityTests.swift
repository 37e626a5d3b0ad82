import Encodings
import LiveActivityContent
import Testing

@testable import APNsSimulator

/// Reactions of phones to pushes to their push-to-start tokens.
@Suite struct StartedActivityTests {
    private static let adventureID = "0198a1b2-c3d4-7000-8000-00000000abcd"
    private static let alert =
        #", "alert": {"title": {"loc-key": "Victory"}, "body": "Hurrah", "sound": "own-turn.wav"}"#
    private static let attributes = #"""
        , "attributes-type": "AdventureAttributes", "attributes": {"adventureID": "\#(adventureID)", \#
        "partyName": "The Party", "heroName": "Spouty", "heroAvatar": "🐳"}
        """#
    private static let rest = #", "stale-date": 1790000600, "input-push-token": 1"#
    private static let good = payload("start", members: alert + attributes + rest)

    private var wall: PhoneWall
    private var generator = SplitMix64(seed: 7)
    private let phoneID: WallID<Phone>
    private let token: PushToken

    init() throws {
        var limits = PhoneLimits()
        limits.activities = 20
        wall = PhoneWall(catalog: try smallCatalog(), limits: limits)
        phoneID = WallID(using: &generator)
        token = PushToken(using: &generator)
        _ = try wall.addPhone(id: phoneID, label: "Mina", locale: "ko", frequentPushesEnabled: true)
        try wall.setToken(token, .pushToStart, of: phoneID, at: moment(0))
    }

    private mutating func push(
        _ bytes: [UInt8] = good,
        to token: PushToken? = nil,
        expiration: Int64? = epoch + 60,
        at now: Timestamp = moment(0)
    ) -> PhoneWall.Outcome {
        wall.push(pushRequest(bytes, to: token ?? self.token, expiration: expiration), at: now)
    }

    @Test mutating func `a start creates an activity, whose token accepts updates`() throws {
        let outcome = push()
        #expect(outcome.rejection == nil && outcome.violations.isEmpty)
        #expect(outcome.entry.reaction == .shown && outcome.entry.phoneID == phoneID)
        let started = try #require(try wall.phone(phoneID).activities.first)
        #expect(outcome.entry.activityID == started.id)
        #expect(started.isStartedByPush)
        #expect(started.adventureID.description == Self.adventureID)
        #expect(started.heroName == "Spouty" && started.partyName == "The Party")
        #expect(started.shown == contentState())
        #expect(started.lastAlert?.titleKey == "Victory")
        #expect(push(payload(timestamp: epoch + 1, tick: 2), to: started.token).violations.isEmpty)
        #expect(try wall.phone(phoneID).activities.map(\.shown?.tick) == [2])
        #expect(push(payload(timestamp: epoch), to: started.token).violations.map(\.kind) == [.timestampNotGrowing])
    }

    @Test mutating func `a start's attributes may have the stats of the hero`() throws {
        let hero = #"""
            "hero": {"name": "Spouty", "avatar": "🐳", "healthLevel": 1, "heroType": "Healer", "level": 3, "exp": 320, \#
            "healthRecoveryRatePerHour": 0.25, "url": "game:///spouty", "battleCode": "game:///spouty/battle", \#
            "bio": "Sings.", "power": 18}, "heroAvatar"
            """#
        let attributes = Self.attributes.replacing(#""heroAvatar""#, with: hero)
        let outcome = push(payload("start", members: Self.alert + attributes + Self.rest))
        #expect(outcome.violations.isEmpty)
        let stats = HeroStats(level: 3, exp: 320, power: 18)
        #expect(try wall.phone(phoneID).activities.map(\.hero) == [stats])
    }

    @Test(
        arguments: [
            (payload("start", members: attributes + rest), [.startWithoutAlert]),
            (payload("start", members: alert + rest), [.undecodableAttributes]),
            (
                payload("start", members: alert + attributes.replacing("AdventureAttributes", with: "Trip") + rest),
                [.undecodableAttributes]
            ),
            (
                payload("start", members: alert + attributes.replacing("heroName", with: "hero") + rest),
                [.undecodableAttributes]
            ),
            (payload(), [.wrongKindOfToken]),
            (Array("{}".utf8), [.unreadablePayload]),
        ] as [([UInt8], [Violation.Kind])]
    )
    func `an invalid start creates no activity`(bytes: [UInt8], kinds: [Violation.Kind]) throws {
        var test = self
        let outcome = test.push(bytes)
        #expect(outcome.rejection == nil && outcome.entry.reaction == .unreadable && outcome.entry.activityID == nil)
        #expect(outcome.violations.map(\.kind) == kinds)
        #expect(try test.wall.phone(phoneID).activities.isEmpty)
    }

    @Test mutating func `a start without stale date, update token or expiration is a violation`() throws {
        let bytes = payload("start", members: Self.alert + Self.attributes)
        let kinds = push(bytes, expiration: nil).violations.map(\.kind)
        #expect(kinds == [.missingStaleDate, .missingInputPushToken, .missingExpiration])
        #expect(try wall.phone(phoneID).activities.count == 1)
    }

    @Test mutating func `a phone accepts ten starts a day`() throws {
        func start(at seconds: Int64) -> PhoneWall.Outcome {
            let bytes = payload("start", timestamp: epoch + seconds, members: Self.alert + Self.attributes + Self.rest)
            return push(bytes, at: moment(seconds))
        }
        for minute: Int64 in 0..<10 { #expect(start(at: 60 * minute).entry.reaction == .shown) }
        let over = start(at: 86_399)
        #expect(over.entry.reaction == .overBudget && over.violations.map(\.kind) == [.tooManyStarts])
        #expect(start(at: 86_400).entry.reaction == .shown)
        #expect(try wall.phone(phoneID).activities.count == 11)
    }

    @Test mutating func `a newer token invalidates the older one, and a second push to that is a violation`() throws {
        let newer = PushToken(using: &generator)
        try wall.setToken(newer, .pushToStart, of: phoneID, at: moment(1))
        let first = push()
        #expect(first.rejection == .badDeviceToken && first.violations.isEmpty && first.entry.phoneID == phoneID)
        #expect(push().violations.map(\.kind) == [.pushToDeadToken])
        #expect(push(to: newer).rejection == nil)
    }

    @Test mutating func `a push to the older token after one to the newer is a violation`() throws {
        let newer = PushToken(using: &generator)
        try wall.setToken(newer, .pushToStart, of: phoneID, at: moment(1))
        #expect(push(to: newer).violations.isEmpty)
        #expect(push().violations.map(\.kind) == [.pushToDeadToken])
        let newest = PushToken(using: &generator)
        try wall.setToken(newest, .pushToStart, of: phoneID, at: moment(2))
        #expect(push().violations.isEmpty, "the token before the previous one is forgotten")
        #expect(push(to: newer).rejection == .badDeviceToken)
        #expect(push(to: newest).rejection == nil)
    }

    @Test mutating func `a phone with the maximum number of activities starts no more`() throws {
        wall = PhoneWall(catalog: try smallCatalog())
        _ = try wall.addPhone(id: phoneID, label: "Mina", locale: "ko", frequentPushesEnabled: true)
        try wall.setToken(token, .pushToStart, of: phoneID, at: moment(0))
        for _ in 0..<5 { #expect(push().entry.reaction == .shown) }
        let sixth = push()
        #expect(sixth.rejection == nil && sixth.entry.reaction == .tooManyActivities && sixth.violations.isEmpty)
        let another = PhoneActivity(
            id: WallID(using: &generator),
            adventureID: WallID(using: &generator),
            heroName: nil,
            partyName: nil,
            token: PushToken(using: &generator),
            startedAt: moment(1)
        )
        #expect(throws: WallError.tooManyActivities) { try wall.start(another, on: phoneID) }
        let first = try #require(try wall.phone(phoneID).activities.first)
        try wall.swipeAway(first.id, on: phoneID, at: moment(1))
        try wall.start(another, on: phoneID)
        #expect(try wall.phone(phoneID).activities.count == 6)
    }

    @Test mutating func `a start with a timestamp nine hours ahead starts nothing`() throws {
        let ahead = payload("start", timestamp: epoch + 9 * 3600, members: Self.alert + Self.attributes + Self.rest)
        let outcome = push(ahead)
        #expect(outcome.entry.reaction == .implausible)
        #expect(outcome.violations.map(\.kind) == [.implausibleTimestamp])
    }

    @Test mutating func `a start of a raid follows its channel, and one with an unknown channel starts nothing`() throws
    {
        let channelID = Channel.ID(using: &generator)
        let attributes = #"""
            , "attributes-type": "RaidAttributes", "input-push-channel": "\#(channelID.base64)", "attributes": \#
            {"raidID": "\#(Self.adventureID)", "bossName": "Glitch", "bossAvatar": "👾"}
            """#
        let start = payload("start", members: Self.alert + attributes + #", "stale-date": 1790000600"#)
        #expect(push(start).entry.reaction == .unreadable)
        try wall.channels.add(channelID, storagePolicy: .noMessage)
        let outcome = push(start)
        #expect(outcome.entry.reaction == .shown && outcome.violations.isEmpty)
        let broadcast = ReceivedPush(
            address: .channel(channelID),
            topic: topic,
            priority: .low,
            expirationEpochSeconds: 0,
            payload: payload(timestamp: epoch + 1, tick: 2)
        )
        #expect(wall.push(broadcast, apnsID: "b").violations.isEmpty)
        let started = try #require(try wall.phone(phoneID).activities.first)
        #expect(started.adventureID.description == Self.adventureID && started.heroName == "Glitch")
        #expect(started.partyName == nil && started.shown?.tick == 2)
    }

    @Test mutating func `a start to an activity's own token is a violation`() throws {
        _ = push()
        let started = try #require(try wall.phone(phoneID).activities.first)
        let outcome = push(
            payload("start", timestamp: epoch + 1, members: Self.alert + Self.attributes + Self.rest),
            to: started.token
        )
        #expect(outcome.violations.map(\.kind) == [.wrongKindOfToken])
        #expect(outcome.entry.reaction == .unreadable)
    }
}
