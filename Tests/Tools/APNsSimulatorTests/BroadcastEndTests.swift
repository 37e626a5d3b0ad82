import Testing

@testable import APNsSimulator

/// Consequences of a broadcast for later pushes.
@Suite struct BroadcastEndTests {
    private var wall: PhoneWall
    private var generator = SplitMix64(seed: 7)
    private let phoneID: WallID<Phone>
    private let channelID: Channel.ID
    private let token: PushToken

    init() throws {
        wall = PhoneWall(catalog: try smallCatalog())
        phoneID = WallID(using: &generator)
        channelID = Channel.ID(using: &generator)
        token = PushToken(using: &generator)
        _ = try wall.addPhone(id: phoneID, label: "Mina", locale: "ko", frequentPushesEnabled: true)
        try wall.channels.add(channelID, storagePolicy: .noMessage)
        try follow(with: token)
    }

    private mutating func follow(with token: PushToken) throws {
        let id = WallID<PhoneActivity>(using: &generator)
        let activity = PhoneActivity(
            id: id,
            adventureID: WallID(rawValue: id.rawValue),
            heroName: nil,
            partyName: nil,
            token: token,
            startedAt: moment(0)
        )
        try wall.start(activity, on: phoneID, following: channelID)
    }

    @discardableResult
    private mutating func broadcast(_ bytes: [UInt8], apnsID: String = "a") -> PhoneWall.Outcome {
        let request = ReceivedPush(
            address: .channel(channelID),
            topic: topic,
            priority: .low,
            expirationEpochSeconds: 0,
            payload: bytes
        )
        return wall.push(request, apnsID: apnsID)
    }

    private mutating func push(_ bytes: [UInt8]) -> PhoneWall.Outcome {
        wall.push(pushRequest(bytes, to: token), apnsID: "by token")
    }

    @Test mutating func `a push after a broadcast end is a violation, except a repeat of the end`() {
        #expect(broadcast(payload("end", members: ""), apnsID: "end").violations.isEmpty)
        #expect(broadcast(payload("end", timestamp: epoch + 1, members: ""), apnsID: "end").violations.isEmpty)
        let late = broadcast(payload(timestamp: epoch + 2), apnsID: "late")
        #expect(late.violations.map(\.kind) == [.pushAfterEnd])
        #expect(late.rejection == nil)
        let byToken = push(payload(timestamp: epoch + 3))
        #expect(byToken.violations.map(\.kind) == [.pushAfterEnd])
        #expect(byToken.entry.reaction == .over)
    }

    @Test mutating func `a channel can be used for the next activity after an end`() throws {
        broadcast(payload("end", members: ""), apnsID: "end")
        try follow(with: PushToken(using: &generator))
        #expect(broadcast(payload(timestamp: epoch + 1), apnsID: "next").violations.isEmpty)
        // The ended activity stays ended.
        #expect(push(payload(timestamp: epoch + 2)).violations.map(\.kind) == [.pushAfterEnd])
    }

    @Test mutating func `an end to a token does not end the channel`() {
        #expect(push(payload("end", members: "")).violations.isEmpty)
        #expect(broadcast(payload(timestamp: epoch + 1), apnsID: "other").violations.isEmpty)
    }

    @Test mutating func `broadcasts count for a follower, with their timestamps`() throws {
        let alert = #", "stale-date": 1790000600, "alert": {"title": {"loc-key": "Victory"}, "body": "Hurrah"}"#
        broadcast(payload(timestamp: epoch + 5, members: alert))
        let counts = try #require(try wall.phone(phoneID).activities.first).counts
        #expect(counts.lowPriority == 1 && counts.highPriority == 0 && counts.withAlert == 1)
        #expect(push(payload(timestamp: epoch + 5)).violations.map(\.kind) == [.timestampNotGrowing])
    }
}
