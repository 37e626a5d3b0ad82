import Testing

@testable import APNsSimulator

/// What a broadcast means for what the sender may push afterwards.
@Suite struct BroadcastEndTests {
    private var wall: PhoneWall
    private var generator = SeededGenerator(seed: 7)
    private let phoneID: Identifier<Phone>
    private let channelID: Channel.ID
    private let token: PushToken

    init() throws {
        wall = PhoneWall(catalog: try smallCatalog())
        phoneID = Identifier(using: &generator)
        channelID = Channel.ID(using: &generator)
        token = PushToken(using: &generator)
        _ = try wall.addPhone(id: phoneID, label: "Mina", locale: "ko", frequentPushesEnabled: true)
        try wall.channels.add(channelID, storagePolicy: .noMessage)
        try follow(with: token)
    }

    private mutating func follow(with token: PushToken) throws {
        let id = Identifier<PhoneActivity>(using: &generator)
        let activity = PhoneActivity(
            id: id,
            adventureID: Identifier(rawValue: id.rawValue),
            heroName: nil,
            partyName: nil,
            token: token,
            startedAt: moment(0)
        )
        try wall.start(activity, on: phoneID, following: channelID)
    }

    @discardableResult
    private mutating func broadcast(_ bytes: [UInt8], apnsID: String = "a") -> PhoneWall.Outcome {
        let request = PushRequest(
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

    @Test mutating func `what comes after a broadcast end is a violation, but for the end itself once more`() {
        #expect(broadcast(payload("end", members: ""), apnsID: "end").violations.isEmpty)
        #expect(broadcast(payload("end", timestamp: epoch + 1, members: ""), apnsID: "end").violations.isEmpty)
        let late = broadcast(payload(timestamp: epoch + 2), apnsID: "late")
        #expect(late.violations.map(\.kind) == [.pushAfterEnd])
        #expect(late.refusal == nil)
        let byToken = push(payload(timestamp: epoch + 3))
        #expect(byToken.violations.map(\.kind) == [.pushAfterEnd])
        #expect(byToken.entry.reaction == .over)
    }

    @Test mutating func `a channel that has ended is good for the next activity`() throws {
        broadcast(payload("end", members: ""), apnsID: "end")
        try follow(with: PushToken(using: &generator))
        #expect(broadcast(payload(timestamp: epoch + 1), apnsID: "next").violations.isEmpty)
        // The activity that was ended does not live again.
        #expect(push(payload(timestamp: epoch + 2)).violations.map(\.kind) == [.pushAfterEnd])
    }

    @Test mutating func `an end by token ends one activity, and not the channel`() {
        #expect(push(payload("end", members: "")).violations.isEmpty)
        #expect(broadcast(payload(timestamp: epoch + 1), apnsID: "other").violations.isEmpty)
    }

    @Test mutating func `a follower counts broadcasts, and their timestamps`() throws {
        let alert = #", "stale-date": 1790000600, "alert": {"title": {"loc-key": "Victory"}, "body": "Hurrah"}"#
        broadcast(payload(timestamp: epoch + 5, members: alert))
        let counts = try #require(try wall.phone(phoneID).activities.first).counts
        #expect(counts.lowPriority == 1 && counts.highPriority == 0 && counts.withAlert == 1)
        #expect(push(payload(timestamp: epoch + 5)).violations.map(\.kind) == [.timestampNotGrowing])
    }
}
