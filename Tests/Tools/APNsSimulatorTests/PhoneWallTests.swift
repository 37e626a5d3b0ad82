import Encodings
import Testing

@testable import APNsSimulator

@Suite struct PhoneWallTests {
    private var wall: PhoneWall
    private var generator = SplitMix64(seed: 7)
    private let phoneID: WallID<Phone>
    private let activityID: WallID<PhoneActivity>
    private let token: PushToken

    init() throws {
        wall = PhoneWall(catalog: try smallCatalog())
        phoneID = WallID(using: &generator)
        activityID = WallID(using: &generator)
        token = PushToken(using: &generator)
        _ = try wall.addPhone(id: phoneID, label: "Mina", locale: "ko", frequentPushesEnabled: true)
        try wall.start(activity(activityID, token), on: phoneID)
    }

    private func activity(_ id: WallID<PhoneActivity>, _ token: PushToken) -> PhoneActivity {
        let adventureID = WallID<PhoneActivity.Adventure>(rawValue: id.rawValue)
        return PhoneActivity(
            id: id,
            adventureID: adventureID,
            heroName: nil,
            partyName: nil,
            token: token,
            startedAt: moment(0)
        )
    }

    @discardableResult
    private mutating func push(
        _ bytes: [UInt8] = payload(),
        to token: PushToken? = nil,
        apnsID: String = "a",
        expiration: Int64? = epoch + 60,
        at now: Timestamp = moment(0)
    ) -> PhoneWall.Outcome {
        wall.push(pushRequest(bytes, to: token ?? self.token, expiration: expiration), apnsID: apnsID, at: now)
    }

    @Test mutating func `a push reaches the phone of its token`() throws {
        let outcome = push(
            payload(members: #", "stale-date": 9, "alert": {"title": {"loc-key": "Victory"}, "body": "Hurrah"}"#)
        )
        #expect(outcome.rejection == nil)
        #expect(outcome.violations.isEmpty)
        #expect(outcome.entry.phoneID == phoneID)
        #expect(outcome.entry.activityID == activityID)
        #expect(outcome.entry.reaction == .shown)
        #expect(outcome.entry.alert?.titleKey == "Victory")
        let shown = try #require(try wall.phone(phoneID).activities.first)
        #expect(shown.shown == contentState())
    }

    @Test mutating func `each change increases a phone's revision`() throws {
        let before = try wall.phone(phoneID).revision
        push()
        #expect(try wall.phone(phoneID).revision == before + 1)
    }

    @Test mutating func `an unknown token is rejected as BadDeviceToken`() {
        let outcome = push(to: PushToken(hexadecimal: "00"))
        #expect(outcome.rejection == .badDeviceToken)
        #expect(outcome.entry.phoneID == nil)
        #expect(outcome.entry.status == 400)
    }

    @Test mutating func `a rejected request is logged`() {
        let outcome = wall.receive(
            .init(time: moment(0), apnsID: "b", payload: [1], request: .failure(.expiredProviderToken))
        )
        #expect(outcome.rejection == .expiredProviderToken)
        #expect(wall.log.entries(after: 0, limit: 9).map(\.reason) == ["ExpiredProviderToken"])
    }

    @Test mutating func `a rotated token is unregistered since its rotation, and the new one is valid`() throws {
        let newToken = PushToken(using: &generator)
        try wall.rotateToken(of: activityID, on: phoneID, to: newToken, at: moment(5))
        let outcome = push()
        #expect(outcome.rejection == .unregistered)
        #expect(outcome.invalidSince == moment(5))
        #expect(outcome.violations.isEmpty)
        #expect(push(to: newToken).rejection == nil)
    }

    @Test mutating func `pushing again to a token after its 410 is a violation`() throws {
        try wall.swipeAway(activityID, on: phoneID, at: moment(5))
        #expect(push(at: moment(5)).violations.isEmpty)
        #expect(push(at: moment(6)).violations.map(\.kind) == [.pushToDeadToken])
    }

    @Test mutating func `pushing to a token after using its successor is a violation`() throws {
        let newToken = PushToken(using: &generator)
        try wall.rotateToken(of: activityID, on: phoneID, to: newToken, at: moment(5))
        push(to: newToken)
        #expect(push().violations.map(\.kind) == [.pushToDeadToken])
    }

    @Test mutating func `a push without an expiration is a violation`() {
        #expect(push(expiration: nil).violations.map(\.kind) == [.missingExpiration])
    }

    @Test mutating func `a timestamp that does not grow is a violation`() {
        push(payload(timestamp: epoch + 1))
        #expect(push(payload(timestamp: epoch + 2)).violations.isEmpty)
        #expect(push(payload(timestamp: epoch + 2), apnsID: "b").violations.map(\.kind) == [.timestampNotGrowing])
        #expect(push(payload(timestamp: epoch)).violations.map(\.kind) == [.timestampNotGrowing])
    }

    @Test mutating func `repeating the newest push is no violation`() {
        push(payload(timestamp: epoch), apnsID: "a")
        #expect(push(payload(timestamp: epoch + 1), apnsID: "b").violations.isEmpty)
        #expect(push(payload(timestamp: epoch + 1), apnsID: "b").violations.isEmpty)
        #expect(push(payload(timestamp: epoch), apnsID: "a").violations.map(\.kind) == [.timestampNotGrowing])
    }

    @Test mutating func `an implausible timestamp does not make the next one outdated`() {
        #expect(push(payload(timestamp: epoch * 1000)).violations.map(\.kind) == [.implausibleTimestamp])
        #expect(push(payload(timestamp: epoch)).violations.isEmpty)
    }

    @Test mutating func `a push after the end is a violation, except a repeat of the end`() {
        push(payload("end", members: ""), apnsID: "end")
        #expect(push(payload("end", timestamp: epoch + 1, members: ""), apnsID: "end").violations.isEmpty)
        let late = push(payload(timestamp: epoch + 2), apnsID: "late")
        #expect(late.violations.map(\.kind) == [.pushAfterEnd])
        #expect(late.entry.reaction == .over)
        #expect(late.rejection == nil)
    }

    @Test mutating func `an undecodable payload is accepted, and a violation`() {
        let outcome = push(Array("{}".utf8))
        #expect(outcome.rejection == nil)
        #expect(outcome.entry.reaction == .unreadable)
        #expect(outcome.violations.map(\.kind) == [.unreadablePayload])
        #expect(outcome.violations.map(\.detail) == ["aps: is missing"])
    }

    @Test mutating func `all mistakes in a payload are found`() {
        let bytes = Array(
            #"{"aps":{"timestamp":1,"event":"update","content-state":{},"sound":"a","alert":{"loc-key":"k"}}}"#.utf8
        )
        let found = push(bytes, expiration: nil).violations
        #expect(
            found.map(\.kind) == [
                .undecodableContentState, .flatLocalizationKeys, .soundOutsideAlert, .missingStaleDate,
                .missingExpiration, .implausibleTimestamp,
            ]
        )
        #expect(found.map(\.number) == [1, 2, 3, 4, 5, 6])
        #expect(wall.violations == found)
    }

    @Test mutating func `unknown phones and activities cannot be changed`() throws {
        let unknownPhone = WallID<Phone>(using: &generator)
        let unknownActivity = WallID<PhoneActivity>(using: &generator)
        let next = PushToken(using: &generator)
        #expect(throws: WallError.unknownPhone) { try wall.phone(unknownPhone) }
        #expect(throws: WallError.unknownPhone) { try wall.start(activity(unknownActivity, next), on: unknownPhone) }
        #expect(throws: WallError.unknownActivity) { try wall.swipeAway(unknownActivity, on: phoneID, at: moment(0)) }
        #expect(throws: WallError.unknownActivity) {
            try wall.rotateToken(of: unknownActivity, on: phoneID, to: next, at: moment(0))
        }
        #expect(throws: WallError.activityExists) { try wall.start(activity(activityID, next), on: phoneID) }
    }

    @Test mutating func `an ended activity cannot be rotated, or swiped away twice`() throws {
        push(payload("end", members: #", "dismissal-date": \#(epoch + 9)"#))
        let next = PushToken(using: &generator)
        #expect(throws: WallError.activityOver) {
            try wall.rotateToken(of: activityID, on: phoneID, to: next, at: moment(1))
        }
        try wall.swipeAway(activityID, on: phoneID, at: moment(2))
        #expect(throws: WallError.activityOver) { try wall.swipeAway(activityID, on: phoneID, at: moment(2)) }
    }

    @Test func `equal seeds give equal tokens, and other seeds others`() {
        var first = SplitMix64(seed: 3)
        var second = SplitMix64(seed: 3)
        var third = SplitMix64(seed: 4)
        let token = PushToken(using: &first)
        #expect(token == PushToken(using: &second))
        #expect(token != PushToken(using: &third))
        #expect(token.hexadecimal.utf8.count == 160)
        #expect(PushToken(hexadecimal: token.hexadecimal) == token)
    }
}
