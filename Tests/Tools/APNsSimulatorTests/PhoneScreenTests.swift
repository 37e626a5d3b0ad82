import LiveActivityContent
import Testing

@testable import APNsSimulator

/// The layout of activities on a phone.
@Suite struct PhoneScreenTests {
    private var phone: Phone
    private var generator = SplitMix64(seed: 3)

    init() {
        self.init(model: .iPhone)
    }

    private init(model: Phone.Model) {
        phone = Phone(
            id: WallID(using: &generator),
            label: "Mina",
            locale: "ar",
            frequentPushesEnabled: true,
            model: model,
            limits: PhoneLimits()
        )
    }

    /// Adds an activity that shows a state.
    private mutating func add(relevance: Double, alertAt seconds: Int64? = nil) throws -> WallID<PhoneActivity> {
        var activity = PhoneActivity(
            id: WallID(using: &generator),
            adventureID: WallID(using: &generator),
            heroName: nil,
            partyName: nil,
            token: PushToken(using: &generator),
            startedAt: moment(0)
        )
        let alert = seconds == nil ? "" : #", "alert": {"title": "Hear, hear"}"#
        let bytes = payload(members: #", "stale-date": \#(epoch + 60), "relevance-score": \#(relevance)"# + alert)
        let payload = try ReceivedPayload(decoding: bytes)
        let now = moment(seconds ?? 0)
        let shown = try payload.alert.flatMap { ShownAlert($0, in: try smallCatalog(), for: "en", at: now) }
        _ = activity.receive(payload, alert: shown, at: now)
        phone.activities.append(activity)
        return activity.id
    }

    @Test func `a phone without activities has an empty island`() {
        let screen = PhoneScreen(phone, at: moment(0))
        #expect(screen.lockScreen.isEmpty)
        #expect(screen.island == .empty)
    }

    @Test func `an iPad has no island`() throws {
        var tablet = Self(model: .iPad)
        let only = try tablet.add(relevance: 0, alertAt: 0)
        #expect(PhoneScreen(tablet.phone, at: moment(0)).lockScreen == [only])
        #expect(PhoneScreen(tablet.phone, at: moment(0)).island == .empty)
    }

    @Test mutating func `a single activity has the whole island, also when it is stale`() throws {
        let only = try add(relevance: 0)
        #expect(PhoneScreen(phone, at: moment(0)).island == .compact(only))
        #expect(PhoneScreen(phone, at: moment(60)).island == .compact(only))
    }

    @Test mutating func `activities are ordered by relevance and then by start`() throws {
        let low = try add(relevance: 1)
        let high = try add(relevance: 75)
        let equal = try add(relevance: 1)
        let screen = PhoneScreen(phone, at: moment(0))
        #expect(screen.lockScreen == [high, low, equal])
        #expect(screen.island == .minimal(high, low))
    }

    @Test mutating func `ended activities come last and leave the island, and dismissed ones disappear`() throws {
        let first = try add(relevance: 75)
        let second = try add(relevance: 1)
        _ = phone.activities[0].receive(
            try ReceivedPayload(
                decoding: payload("end", timestamp: epoch + 1, members: #", "dismissal-date": \#(epoch + 30)"#)
            ),
            at: moment(10)
        )
        #expect(PhoneScreen(phone, at: moment(10)).lockScreen == [second, first])
        #expect(PhoneScreen(phone, at: moment(10)).island == .compact(second))
        #expect(PhoneScreen(phone, at: moment(30)).lockScreen == [second])
    }

    @Test mutating func `an alert of any activity expands the island for seven seconds`() throws {
        let relevant = try add(relevance: 75, alertAt: 3)
        let alerting = try add(relevance: 1, alertAt: 5)
        #expect(PhoneScreen(phone, at: moment(5)).island == .expanded(alerting))
        #expect(PhoneScreen(phone, at: moment(11)).island == .expanded(alerting))
        #expect(PhoneScreen(phone, at: moment(12)).island == .minimal(relevant, alerting))
        #expect(phone.activities[1].hasChanged(from: moment(11), to: moment(12)))
        #expect(!phone.activities[1].hasChanged(from: moment(12), to: moment(13)))
    }
}
