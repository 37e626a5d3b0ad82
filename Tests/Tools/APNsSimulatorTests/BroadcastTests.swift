import APNsClient
import Encodings
import Foundation
import Testing

@testable import APNsSimulator

/// Channels and broadcasts, sent by the project's own client.
@Suite(.timeLimit(.minutes(10)))
struct BroadcastTests {
    private let key: TestSigningKey
    private let keys: [SenderKey]
    private let clock = Clock()
    private let bundleID: BundleID

    init() throws {
        key = try TestSigningKey()
        keys = [try key.senderKey()]
        bundleID = try #require(BundleID(RunningSimulator.bundleID))
    }

    private func run(_ test: (RunningSimulator, APNsClient) async throws -> Void) async throws {
        let body: (RunningSimulator) async throws -> Void = { simulator in
            let caFile = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem")
            try simulator.listening.certificateAuthorityPEM.write(to: caFile, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: caFile) }
            let client = try senderClient(
                pem: key.pem,
                keyID: "ABCDE12345",
                teamID: "TEAM123456",
                pushPort: simulator.listening.apnsPort,
                channelPort: simulator.listening.channelsPort,
                caFile: caFile,
                now: { [clock] in clock.now.epochSeconds }
            )
            try await test(simulator, client)
        }
        try await RunningSimulator.run(keys: keys, now: { [clock] in clock.now }, body: body)
    }

    private func broadcast(
        _ bytes: [UInt8],
        to channel: APNsChannel,
        expiration: Int64 = 0
    ) throws -> APNsBroadcast {
        try APNsBroadcast(
            bundleID: bundleID,
            channel: channel,
            priority: .low,
            expirationEpochSeconds: expiration,
            id: UUID(),
            payload: bytes
        )
    }

    private func isAccepted(_ outcome: APNsOutcome) -> Bool {
        guard case .accepted(_, let uniqueID) = outcome else { return false }
        return uniqueID != nil
    }

    @Test func `a channel is created, read, listed and deleted`() async throws {
        try await run { _, client in
            let frequent = try await client.createChannel(of: bundleID, storing: .noMessage)
            let rare = try await client.createChannel(of: bundleID, storing: .mostRecentMessage)
            #expect(try await client.channel(rare.id, of: bundleID) == rare)
            #expect(try await client.channel(frequent.id, of: bundleID) == frequent)
            #expect(try await Set(client.channels(of: bundleID)) == [frequent.id, rare.id])
            try await client.deleteChannel(frequent.id, of: bundleID)
            #expect(try await client.channels(of: bundleID) == [rare.id])
            let rejection = APNsRejection(status: 400, reason: .channelNotRegistered)
            await #expect(throws: APNsChannelError.rejected(rejection)) {
                try await client.deleteChannel(frequent.id, of: bundleID)
            }
            #expect(await client.send(try broadcast(payload(), to: frequent)) == .rejected(rejection))
        }
    }

    @Test func `a broadcast reaches all followers of its channel and no others`() async throws {
        try await run { simulator, client in
            let channel = try await client.createChannel(of: bundleID, storing: .noMessage)
            let members = #","channelID":"\#(channel.id)""#
            let followers = [
                try await simulator.newActivity(members: members), try await simulator.newActivity(members: members),
            ]
            let other = try await simulator.newActivity()
            #expect(isAccepted(await client.send(try broadcast(payload(tick: 42), to: channel))))
            for follower in followers {
                #expect(try await simulator.text(follower.phonePath).contains(#""tick":42"#))
            }
            #expect(try await !simulator.text(other.phonePath).contains(#""tick""#))
            let log = try await simulator.text("/api/pushes")
            #expect(log.contains(#""channelID":"\#(channel.id)""#))
            #expect(try await simulator.text("/api/violations") == #"{"violations":[]}"#)
            let again = try broadcast(payload("start", tick: 43), to: channel)
            #expect(isAccepted(await client.send(again)))
            let violations = try await simulator.text("/api/violations")
            #expect(violations.contains("wrongKindOfToken") && violations.contains("timestampNotGrowing"))
        }
    }

    @Test(arguments: [APNsChannel.StoragePolicy.noMessage, .mostRecentMessage])
    func `an offline phone gets the newest broadcast of a channel with storage only`(policy: APNsChannel.StoragePolicy)
        async throws
    {
        try await run { simulator, client in
            let channel = try await client.createChannel(of: bundleID, storing: policy)
            let follower = try await simulator.newActivity(members: #","channelID":"\#(channel.id)""#)
            #expect(try await simulator.web("PATCH", follower.phonePath, #"{"isOnline":false}"#).0 == 200)
            let isStored = policy == .mostRecentMessage
            for tick in 1...2 {
                let bytes = payload(timestamp: epoch + Int64(tick), tick: tick)
                let message = try broadcast(bytes, to: channel, expiration: isStored ? epoch + 60 : 0)
                #expect(isAccepted(await client.send(message)))
            }
            #expect(try await !simulator.text(follower.phonePath).contains(#""tick""#))
            #expect(try await simulator.web("PATCH", follower.phonePath, #"{"isOnline":true}"#).0 == 200)
            #expect(try await simulator.text(follower.phonePath).contains(#""tick":2"#) == isStored)
        }
    }

    @Test func `subscribers without a phone keep the newest timestamp, and the log counts them`() async throws {
        try await run { simulator, client in
            let channel = try await client.createChannel(of: bundleID, storing: .noMessage)
            _ = try await simulator.newActivity(members: #","channelID":"\#(channel.id)""#)
            func subscribe(_ count: Int, to channelID: String) async throws -> Int {
                let body = #"{"channelID":"\#(channelID)","subscribers":\#(count)}"#
                return try await simulator.web("PUT", "/api/subscribers", body).0
            }
            #expect(try await subscribe(1_000, to: channel.id.description) == 204)
            for timestamp in [epoch + 1, epoch] {
                let bytes = payload(timestamp: timestamp, tick: 1)
                #expect(isAccepted(await client.send(try broadcast(bytes, to: channel))))
            }
            let log = try await simulator.text("/api/pushes")
            #expect(log.contains(#""reactions":{"shown":1001}"#) && log.contains(#""reactions":{"outdated":1001}"#))
            #expect(try await subscribe(1, to: "AAAA") == 404)
            #expect(try await subscribe(Channel.maxCrowd + 1, to: channel.id.description) == 422)
        }
    }

    @Test func `an activity can follow existing channels only`() async throws {
        try await run { simulator, _ in
            let body = #"{"activityID":"\#(UUID())","adventureID":"\#(UUID())","channelID":"AAAA"}"#
            let follower = try await simulator.newActivity()
            let (status, problem) = try await simulator.web("POST", "\(follower.phonePath)/activities", body)
            #expect(status == 404)
            #expect(String(decoding: problem, as: UTF8.self).contains(#""type":"unknown-channel""#))
        }
    }
}
