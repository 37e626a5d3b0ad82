import Encodings
import LiveActivityContent
import Testing

@testable import APNsSimulator

@Suite struct PhoneActivityTests {
    private var activity: PhoneActivity

    init() throws {
        var generator = SplitMix64(seed: 1)
        activity = PhoneActivity(
            id: WallID(using: &generator),
            adventureID: WallID(using: &generator),
            heroName: "Spouty",
            partyName: nil,
            token: PushToken(using: &generator),
            startedAt: moment(0)
        )
    }

    @discardableResult
    private mutating func receive(
        _ bytes: [UInt8],
        apnsID: String = "a",
        at now: Timestamp = moment(0)
    ) throws -> PhoneActivity.Reaction {
        let payload = try ReceivedPayload(decoding: bytes)
        let alert = try payload.alert.flatMap { ShownAlert($0, in: try smallCatalog(), for: "en", at: now) }
        return activity.receive(payload, apnsID: apnsID, alert: alert, at: now)
    }

    @Test func `before the first push an activity is active and shows nothing`() {
        #expect(activity.status(at: moment(0)) == .active)
        #expect(activity.shown == nil)
    }

    @Test mutating func `the newest timestamp wins in any order of arrival`() throws {
        #expect(try receive(payload(timestamp: epoch + 5, tick: 5)) == .shown)
        #expect(try receive(payload(timestamp: epoch + 4, tick: 4)) == .outdated)
        #expect(try receive(payload(timestamp: epoch + 5, tick: 6)) == .outdated)
        #expect(activity.shown?.tick == 5)
        #expect(activity.newestTimestamp == epoch + 5)
    }

    @Test mutating func `an activity is stale from its stale date until a newer state`() throws {
        try receive(payload(members: #", "stale-date": \#(epoch + 60)"#))
        #expect(activity.status(at: moment(59)) == .active)
        #expect(activity.status(at: moment(60)) == .stale)
        try receive(payload(timestamp: epoch + 61, members: #", "stale-date": \#(epoch + 120)"#))
        #expect(activity.status(at: moment(61)) == .active)
    }

    @Test mutating func `an end shows the last state until its dismissal date`() throws {
        let end = payload("end", timestamp: epoch + 1, tick: 9, members: #", "dismissal-date": \#(epoch + 100)"#)
        #expect(try receive(end) == .shown)
        #expect(activity.shown?.tick == 9)
        #expect(activity.status(at: moment(99)) == .ended)
        #expect(activity.status(at: moment(100)) == .dismissed)
    }

    @Test(arguments: ["", #", "dismissal-date": \#(epoch + 100_000)"#])
    mutating func `an ended activity is visible for at most four hours`(members: String) throws {
        try receive(payload("end", members: members))
        #expect(activity.end?.dismissalDate == epoch + 4 * 3600)
    }

    @Test mutating func `a late end ends the activity without showing its state`() throws {
        try receive(payload(timestamp: epoch + 5, tick: 5))
        #expect(try receive(payload("end", timestamp: epoch + 4, tick: 4, members: "")) == .shown)
        #expect(activity.shown?.tick == 5)
        #expect(activity.status(at: moment(0)) == .ended)
    }

    @Test mutating func `an ended activity shows no newer state`() throws {
        try receive(payload("end", tick: 1, members: ""), apnsID: "the end")
        #expect(try receive(payload(timestamp: epoch + 1, tick: 2)) == .over)
        #expect(activity.shown?.tick == 1)
        #expect(activity.end?.apnsID == "the end")
    }

    @Test mutating func `an undecodable push changes nothing`() throws {
        try receive(payload(tick: 1))
        let undecodable = Array(#"{"aps":{"timestamp":\#(epoch + 1),"event":"update","content-state":{}}}"#.utf8)
        #expect(try receive(undecodable) == .unreadable)
        #expect(activity.receive(nil, at: moment(0)) == .unreadable)
        #expect(activity.shown?.tick == 1)
    }

    @Test mutating func `all accepted pushes are counted by priority and alert`() throws {
        activity.recordAccepted(
            try ReceivedPayload(decoding: payload(timestamp: epoch + 2)),
            apnsID: "a",
            priority: .low,
            hasAlert: false,
            at: moment(2)
        )
        activity.recordAccepted(
            try ReceivedPayload(decoding: payload(timestamp: epoch + 1)),
            apnsID: "b",
            priority: .high,
            hasAlert: true,
            at: moment(2)
        )
        activity.recordAccepted(nil, apnsID: "a", priority: .high, hasAlert: true, at: moment(2))
        #expect(activity.counts.lowPriority == 1)
        #expect(activity.counts.highPriority == 2)
        #expect(activity.counts.withAlert == 2)
        #expect(activity.newestSentTimestamp == epoch + 2)
        #expect(activity.newestTimestamp == nil)
    }

    @Test mutating func `the last alert is kept`() throws {
        try receive(payload(members: #", "stale-date": 9, "alert": {"title": "Hear, hear"}"#))
        #expect(activity.lastAlert?.title == "Hear, hear")
    }

    @Test mutating func `the system ends an activity after eight hours and shows it for four more`() throws {
        try receive(payload(members: #", "stale-date": \#(epoch + 50_000)"#))
        #expect(activity.status(at: moment(8 * 3600 - 1)) == .active)
        #expect(activity.status(at: moment(8 * 3600)) == .ended)
        #expect(activity.end(at: moment(8 * 3600))?.cause == .timeLimit)
        #expect(try receive(payload(timestamp: epoch + 1), at: moment(8 * 3600)) == .over)
        #expect(activity.status(at: moment(12 * 3600 - 1)) == .ended)
        #expect(activity.status(at: moment(12 * 3600)) == .dismissed)
    }

    @Test mutating func `a swiped-away activity is dismissed immediately`() {
        activity.swipeAway(at: moment(3))
        #expect(activity.status(at: moment(3)) == .dismissed)
        #expect(activity.end?.apnsID == nil)
    }

    @Test(
        arguments: [
            ("update", 200, true), ("update", 201, false), ("update", -28_800, true), ("update", -28_801, false),
            ("end", 3600, true), ("end", -28_801, false),
        ] as [(String, Int64, Bool)]
    )
    func `a timestamp far ahead of the clock, or an update's far behind it, is dropped`(
        event: String,
        age: Int64,
        isShown: Bool
    ) throws {
        var activity = activity
        let read = try ReceivedPayload(decoding: payload(event, timestamp: epoch + 100 - age))
        let reaction = activity.receive(read, acceptedAt: moment(100), at: moment(100))
        #expect(reaction == (isShown ? .shown : .implausible))
        #expect((activity.newestTimestamp != nil) == isShown, "a dropped push does not make others outdated")
    }

    @Test mutating func `a push's age is measured when APNs accepts it`() throws {
        let read = try ReceivedPayload(decoding: payload())
        #expect(activity.receive(read, acceptedAt: moment(0), at: moment(3600)) == .shown)
    }
}
