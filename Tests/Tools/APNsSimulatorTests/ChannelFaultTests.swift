import HTTP2Transport
import Testing

@testable import APNsSimulator

/// Injected faults at the endpoint for channel management.
@Suite(.timeLimit(.minutes(10)))
struct ChannelFaultTests {
    private let keys: [SenderKey]
    private let authorization: String
    private let create: HTTP2ClientRequest
    private let list: HTTP2ClientRequest
    private let timer = ManualTimer()

    init() throws {
        let key = try TestSigningKey()
        keys = [try key.senderKey()]
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

    /// Runs a simulator with a fault, and a client that is connected to the endpoint for channel management.
    private func run(
        _ fault: String,
        _ test: (RunningSimulator, HTTP2Client) async throws -> Void
    ) async throws {
        let body: (RunningSimulator) async throws -> Void = { simulator in
            let client = try simulator.client(at: .channels)
            defer { client.close() }
            #expect(try await client.response(to: list).status == 200)
            struct Added: Decodable { let faultID: Int }
            _ = try await simulator.post("/api/faults", fault, as: Added.self)
            try await test(simulator, client)
        }
        try await RunningSimulator.run(keys: keys, now: { moment(0) }, timer: timer.timer, body: body)
    }

    @Test func `a rejected request creates no channel and does not affect pushes`() async throws {
        let fault = #"{"fault":"rejection","reason":"ServiceUnavailable","endpoint":"channels","pushes":1}"#
        try await run(fault) { simulator, client in
            let token = try await simulator.newActivity().token
            let pusher = try simulator.client()
            defer { pusher.close() }
            #expect(try await pusher.response(to: PushDraft(to: token, authorization: authorization)).status == 200)
            let response = try await client.response(to: create)
            #expect(response.status == 503 && response.text == #"{"reason":"ServiceUnavailable"}"#)
            #expect(response.headers["apns-request-id"] != nil && response.headers["apns-channel-id"] == nil)
            #expect(try await client.response(to: list).text == #"{"channels":[]}"#)
            #expect(try await client.response(to: create).status == 201)
        }
    }

    @Test func `a response is delayed`() async throws {
        try await run(#"{"fault":"latency","milliseconds":250,"endpoint":"channels"}"#) { _, client in
            async let response = client.response(to: create)
            #expect(await timer.fire() == .milliseconds(250))
            let status = try await response.status
            #expect(status == 201)
        }
    }

    @Test(arguments: [("lostResponse", true), ("connectionDrop", false)])
    func `a connection closes before or after the channel is created`(fault: String, isCreated: Bool) async throws {
        try await run(#"{"fault":"\#(fault)","endpoint":"channels","pushes":1}"#) { _, client in
            guard case .unknown(.connection) = await client.send(create) else {
                Issue.record("the connection is still open")
                return
            }
            let channels = try await client.response(to: list).text
            #expect((channels != #"{"channels":[]}"#) == isCreated)
        }
    }
}
