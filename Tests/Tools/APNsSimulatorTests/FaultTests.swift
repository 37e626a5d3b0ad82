import Foundation
import HTTP2Transport
import Testing

@testable import APNsSimulator

/// Injected faults at the endpoint for pushes.
@Suite(.timeLimit(.minutes(10)))
struct FaultTests {
    private let keys: [SenderKey]
    private let authorization: String
    private let clock = Clock()
    private let timer = ManualTimer()

    init() throws {
        let key = try TestSigningKey()
        keys = [try key.senderKey()]
        authorization = try key.authorization(keyID: "ABCDE12345", teamID: "TEAM123456", at: moment(0))
    }

    /// Runs a simulator with an activity, and a client with an authenticated connection.
    private func run(_ test: (RunningSimulator, HTTP2Client, PushDraft) async throws -> Void) async throws {
        let body: (RunningSimulator) async throws -> Void = { simulator in
            let draft = PushDraft(
                to: try await simulator.newActivity().token,
                authorization: authorization,
                payload: payload(tick: 42)
            )
            var first = draft
            first.body = payload(timestamp: epoch - 1, tick: 1)
            let client = try simulator.client(timeout: .seconds(10))
            defer { client.close() }
            #expect(try await client.response(to: first).status == 200)
            try await test(simulator, client, draft)
        }
        try await RunningSimulator.run(keys: keys, now: { [clock] in clock.now }, timer: timer.timer, body: body)
    }

    private func add(_ fault: String, to simulator: RunningSimulator) async throws {
        struct Added: Decodable { let faultID: Int }
        _ = try await simulator.post("/api/faults", fault, as: Added.self)
    }

    /// Returns the log entry of the last push.
    private func lastPush(_ simulator: RunningSimulator) async throws -> String {
        try await simulator.text("/api/pushes?after=1")
    }

    @Test func `a response is delayed, and the push is not`() async throws {
        try await run { simulator, client, draft in
            try await add(#"{"fault":"latency","milliseconds":250}"#, to: simulator)
            async let response = client.response(to: draft)
            #expect(await timer.fire() == .milliseconds(250))
            #expect(try await response.status == 200)
            #expect(try await simulator.text("/api/phones").contains(#""tick":42"#))
            #expect(try await lastPush(simulator).contains(#""fault":"latency""#))
        }
    }

    @Test(arguments: [
        (410, "Unregistered", #","timestamp":1790000007000"#), (410, "ExpiredToken", #","timestamp":1790000007000"#),
        (429, "TooManyRequests", ""), (429, "TooManyProviderTokenUpdates", ""), (500, "InternalServerError", ""),
        (503, "ServiceUnavailable", ""), (503, "Shutdown", ""), (403, "Forbidden", ""),
    ])
    func `a rejection hits the given number of pushes to a token`(
        status: Int,
        reason: String,
        rest: String
    ) async throws {
        try await run { simulator, client, draft in
            let token = draft.path.split(separator: "/")[2]
            clock.seconds = 7
            try await add(#"{"fault":"rejection","reason":"\#(reason)","token":"\#(token)","pushes":2}"#, to: simulator)
            var other = draft
            other.path = "/3/device/\(try await simulator.newActivity().token)"
            clock.seconds = 9
            for expected in [status, status, 200] {
                #expect(try await client.response(to: other).status == 200)
                let response = try await client.response(to: draft)
                #expect(response.status == expected)
                #expect(response.text == (expected == 200 ? "" : #"{"reason":"\#(reason)"\#(rest)}"#))
            }
            #expect(try await lastPush(simulator).contains(#""fault":"rejection""#))
        }
    }

    @Test func `a push that gets a GOAWAY is not processed, and is repeated on another connection`() async throws {
        try await run { simulator, client, draft in
            try await add(#"{"fault":"goAway","reason":"Shutdown","pushes":1}"#, to: simulator)
            #expect(try await client.response(to: draft).status == 200)
            let pushes = try await lastPush(simulator)
            #expect(pushes.contains(#""fault":"goAway""#))
            #expect(pushes.contains(#""last":3"#), "the first push, the unprocessed one, and its repeat")
            #expect(try await simulator.text("/api/violations") == #"{"violations":[]}"#)
        }
    }

    @Test func `only a stream reset with REFUSED_STREAM is retried automatically`() async throws {
        try await run { simulator, client, draft in
            try await add(#"{"fault":"reset","pushes":1}"#, to: simulator)
            #expect(await client.send(draft.request) == .unknown(.reset(errorCode: HTTP2ErrorCode.internalError)))
            #expect(try await !simulator.text("/api/phones").contains(#""tick":42"#))
            try await add(#"{"fault":"reset","errorCode":"refusedStream","pushes":1}"#, to: simulator)
            #expect(try await client.response(to: draft).status == 200)
        }
    }

    @Test(arguments: [("lostResponse", true), ("connectionDrop", false)])
    func `a connection closes before or after the push is processed`(fault: String, isShown: Bool) async throws {
        try await run { simulator, client, draft in
            try await add(#"{"fault":"\#(fault)","pushes":1}"#, to: simulator)
            let outcome = await client.send(draft.request)
            guard case .unknown(.connection) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(try await simulator.text("/api/phones").contains(#""tick":42"#) == isShown)
            #expect(try await lastPush(simulator).contains(#""status":200"#) == isShown)
        }
    }

    @Test(arguments: [#""goAway","reason":"Shutdown""#, #""connectionDrop""#])
    func `pushes behind the one that ends the connection are not processed`(
        fault: String
    ) async throws {
        try await run { simulator, client, draft in
            try await add(#"{"fault":\#(fault),"pushes":1}"#, to: simulator)
            let outcomes = await client.send(Array(repeating: draft.request, count: 10))
            let responseCount = outcomes.count { if case .response = $0 { true } else { false } }
            if fault.contains("goAway") { #expect(responseCount == 10) } else { #expect(responseCount < 10) }
            let pushes = try await lastPush(simulator)
            #expect(
                pushes.components(separatedBy: #""status":200"#).count - 1 == responseCount,
                "each push is processed once"
            )
        }
    }

    @Test func `a stalled push is neither answered nor shown`() async throws {
        try await run { simulator, client, draft in
            try await add(#"{"fault":"stall"}"#, to: simulator)
            #expect(await client.send(draft.request) == .unknown(.timedOut))
            #expect(try await !simulator.text("/api/phones").contains(#""tick":42"#))
            #expect(try await lastPush(simulator).contains(#""fault":"stall""#))
        }
    }

    @Test func `a connection is limited to one stream while the fault lasts`() async throws {
        try await run { simulator, client, draft in
            let batch = Array(repeating: draft.request, count: 5)
            var malformed = draft
            malformed.set("apns-priority", "7")
            // The limit is sent after a response, so it applies from the next response on.
            func waits() async throws -> Bool {
                for _ in 0..<2 { #expect(try await client.response(to: draft).status == 200) }
                #expect(try await client.response(to: malformed).status == 400)
                let before = await client.statistics().blockedOnStreams
                _ = await client.send(batch)
                return await client.statistics().blockedOnStreams > before
            }
            #expect(try await !waits())
            try await add(#"{"fault":"oneStream","seconds":10}"#, to: simulator)
            #expect(try await waits())
            clock.seconds = 10
            #expect(try await !waits())
        }
    }
}
