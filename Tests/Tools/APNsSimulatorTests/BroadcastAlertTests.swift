import Encodings
import Testing

@testable import APNsSimulator

/// Reactions of phones to a broadcast, and their log entries.
@Suite struct BroadcastAlertTests {
    private static let alert = #"""
        , "stale-date": 1790000600, "alert": {"title": {"loc-key": "%@ is down!", "loc-args": ["Spouty"]}, \#
        "body": {"loc-key": "Victory"}, "sound": "hero-down.wav"}
        """#

    private var wall: PhoneWall
    private var generator = SplitMix64(seed: 7)
    private let channelID: Channel.ID
    private var phoneIDs: [WallID<Phone>] = []
    private var activityIDs: [WallID<PhoneActivity>] = []

    init() throws {
        try self.init(groupingSeconds: 0)
    }

    private init(groupingSeconds: Int64) throws {
        wall = PhoneWall(catalog: try smallCatalog(), groupingSeconds: groupingSeconds)
        channelID = Channel.ID(using: &generator)
        try wall.channels.add(channelID, storagePolicy: .mostRecentMessage)
        for locale in ["ko", "en"] {
            let phoneID = WallID<Phone>(using: &generator)
            _ = try wall.addPhone(id: phoneID, label: locale, locale: locale, frequentPushesEnabled: true)
            phoneIDs.append(phoneID)
            try follow(on: phoneID)
        }
    }

    private mutating func follow(on phoneID: WallID<Phone>) throws {
        let id = WallID<PhoneActivity>(using: &generator)
        let activity = PhoneActivity(
            id: id,
            adventureID: WallID(rawValue: id.rawValue),
            heroName: nil,
            partyName: nil,
            token: PushToken(using: &generator),
            startedAt: moment(0)
        )
        try wall.start(activity, on: phoneID, following: channelID)
        activityIDs.append(id)
    }

    @discardableResult
    private mutating func broadcast(
        _ timestamp: Int64,
        apnsID: String? = nil,
        priority: ReceivedPush.Priority = .high,
        expiration: Int64 = epoch + 60,
        at now: Timestamp = moment(0)
    ) -> PhoneWall.Outcome {
        let request = ReceivedPush(
            address: .channel(channelID),
            topic: topic,
            priority: priority,
            expirationEpochSeconds: expiration,
            payload: payload(timestamp: epoch + timestamp, members: Self.alert)
        )
        return wall.push(request, apnsID: apnsID ?? "broadcast \(timestamp)", at: now)
    }

    private var entries: [PushLog.Entry] { Array(wall.log.entries(after: 0, limit: 100)) }

    @Test mutating func `an alert expands every follower's island in its phone's language`() throws {
        let outcome = broadcast(1)
        #expect(outcome.violations.isEmpty)
        #expect(outcome.entry.reactions == [.shown: 2])
        #expect(outcome.entry.reaction == nil)
        // The log is in the app's development language.
        #expect(outcome.entry.alert?.title == "Spouty is down!")
        let views = wall.phones.map { PhoneView($0, in: wall.catalog, at: moment(0)) }
        #expect(views.map(\.island.presentation) == [.expanded, .expanded])
        let alerts = views.map { $0.activities.first?.alert }
        #expect(alerts.map { $0?.title } == ["Spouty 쓰러짐!", "Spouty is down!"])
        #expect(alerts.map { $0?.sound } == ["hero-down.wav", "hero-down.wav"])
        #expect(views.map { $0.activities.first?.pushes.withAlert } == [1, 1])
    }

    @Test mutating func `an offline phone's reaction to a broadcast is logged when it is online again`() throws {
        try wall.change(phoneIDs[0], .init(isOnline: false), at: moment(0))
        #expect(broadcast(1).entry.reactions == [.shown: 1, .stored: 1])
        #expect(broadcast(2).entry.reactions == [.shown: 1, .stored: 1])
        #expect(entries.map(\.reactions) == [[.shown: 1, .replaced: 1], [.shown: 1, .stored: 1]])
        try wall.change(phoneIDs[0], .init(isOnline: true), at: moment(5))
        let delayed = wall.takeDelayedOutcomes().entries
        #expect(delayed.map(\.number) == [1, 2])
        #expect(delayed.last?.reactions == [.shown: 2])
        #expect(delayed.last?.reactedAt == moment(5))
        #expect(try wall.phone(phoneIDs[0]).activities.first?.lastAlert?.time == moment(5))
    }

    @Test mutating func `a broadcast that is not stored is logged as such`() throws {
        try wall.change(phoneIDs[0], .init(isOnline: false), at: moment(0))
        #expect(broadcast(1, expiration: 0).entry.reactions == [.shown: 1, .offline: 1])
    }

    @Test func `a grouped broadcast is logged once for all phones`() throws {
        var test = try Self(groupingSeconds: 10)
        #expect(test.broadcast(1, priority: .low).entry.reactions == [.grouped: 2])
        _ = test.wall.advance(to: moment(0))
        #expect(test.wall.takeDelayedOutcomes().entries.isEmpty)
        _ = test.wall.advance(to: moment(10))
        let delayed = test.wall.takeDelayedOutcomes().entries
        #expect(delayed.map(\.reactions) == [[.shown: 2]])
    }

    @Test func `a full group counts a broadcast for each of a phone's activities`() throws {
        var test = try Self(groupingSeconds: 10)
        try test.follow(on: test.phoneIDs[0])
        for timestamp in 1...51 { test.broadcast(Int64(timestamp), priority: .low) }
        let reactions = test.entries.map { $0.reactions ?? [:] }
        #expect(reactions.count == 51)
        #expect(reactions.allSatisfy { $0.values.reduce(0, +) == 3 })
    }

    @Test mutating func `a swiped-away activity no longer follows its channel`() throws {
        try wall.swipeAway(activityIDs[0], on: phoneIDs[0], at: moment(0))
        #expect(broadcast(1).entry.reactions == [.shown: 1])
        #expect(try wall.phone(phoneIDs[0]).activities.first?.counts.highPriority == 0)
    }

    @Test mutating func `repeating the newest broadcast is no violation`() {
        broadcast(1, apnsID: "a")
        broadcast(2, apnsID: "b")
        #expect(broadcast(2, apnsID: "b").violations.isEmpty)
        #expect(broadcast(2, apnsID: "c").violations.map(\.kind) == [.timestampNotGrowing])
        #expect(broadcast(1, apnsID: "a").violations.map(\.kind) == [.timestampNotGrowing])
    }

    @Test mutating func `an implausible timestamp does not make the channel's next one outdated`() {
        #expect(broadcast(100_000).violations.map(\.kind) == [.implausibleTimestamp])
        #expect(broadcast(1).violations.isEmpty)
    }
}
