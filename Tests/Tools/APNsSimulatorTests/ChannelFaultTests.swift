import HTTP2Transport
import Testing

@testable import APNsSimulator

/// Faults on demand where channels are managed.
@Suite(.timeLimit(.minutes(1)))
struct ChannelFaultTests {
    private let keys: [SenderKey]
    private let authorization: String
    private let create: HTTP2ClientRequest
    private let list: HTTP2ClientRequest
    private let timer = ManualTimer()

    init() throws {
        let key = try TestSigningKey()
        keys = [SenderKey(key: try ProviderKey(pem: key.pem), keyID: "ABCDE12345", teamID: "TEAM123456")]
        authorization = try key.authorization(keyID: "ABCDE12345", teamID: "TEAM123456", at: moment(0))
        let path = "/1/apps/\(RunningSimulator.bundleID)"
        create = HTTP2ClientRequest(
            method: "POST",
            path: "\(path)/channels",
            headers: [HTTP2Header("authorization", authorization)],
            body: Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8)
        )
        list = HTTP2ClientRequest(
            method: "GET",
            path: "\(path)/all-channels",
            headers: [HTTP2Header("authorization", authorization)]
        )
    }

    /// A simulator with that fault, and a client that is connected to the door of channels.
    private func run(
        _ fault: String,
        _ test: (RunningSimulator, HTTP2Client) async throws -> Void
    ) async throws {
        let body: (RunningSimulator) async throws -> Void = { simulator in
            let client = try simulator.client(at: .channels)
            defer { client.close() }
            #expect(try await client.answer(list).status == 200)
            struct Added: Decodable { let faultID: Int }
            _ = try await simulator.post("/api/faults", fault, as: Added.self)
            try await test(simulator, client)
        }
        try await RunningSimulator.run(keys: keys, now: { moment(0) }, timer: timer.timer, body: body)
    }

    @Test func `a refused request makes no channel, and pushes go on`() async throws {
        let fault = #"{"fault":"refusal","reason":"ServiceUnavailable","door":"channels","pushes":1}"#
        try await run(fault) { simulator, client in
            let token = try await simulator.newActivity().token
            let pusher = try simulator.client()
            defer { pusher.close() }
            #expect(try await pusher.answer(PushDraft(to: token, authorization: authorization)).status == 200)
            let answer = try await client.answer(create)
            #expect(answer.status == 503 && answer.text == #"{"reason":"ServiceUnavailable"}"#)
            #expect(answer.headers["apns-request-id"] != nil && answer.headers["apns-channel-id"] == nil)
            #expect(try await client.answer(list).text == #"{"channels":[]}"#)
            #expect(try await client.answer(create).status == 201)
        }
    }

    @Test func `an answer takes its time`() async throws {
        try await run(#"{"fault":"latency","milliseconds":250,"door":"channels"}"#) { _, client in
            async let answer = client.answer(create)
            #expect(await timer.fire() == .milliseconds(250))
            let status = try await answer.status
            #expect(status == 201)
        }
    }

    @Test(arguments: [("lostAnswer", true), ("connectionDrop", false)])
    func `a connection breaks after the channel is made or before it`(fault: String, isMade: Bool) async throws {
        try await run(#"{"fault":"\#(fault)","door":"channels","pushes":1}"#) { _, client in
            guard case .unknown(.connection) = await client.send(create) else {
                Issue.record("the connection goes on")
                return
            }
            let channels = try await client.answer(list).text
            #expect((channels != #"{"channels":[]}"#) == isMade)
        }
    }
}
