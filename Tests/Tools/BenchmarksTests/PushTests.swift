import ArgumentParser
import Foundation
import HTTP2Transport
import Testing

@testable import Benchmarks

@Suite(.timeLimit(.minutes(1)))
struct PushTests {
    /// Takes every push; with a path of its own for each device, some may be refused.
    private struct Acceptance: HTTP2RequestHandler {
        var refusedPath = ""

        func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
            HTTP2Response(status: request.path == refusedPath ? 410 : 200)
        }
    }

    private let report = PushReport(
        h2load: .init(perSecond: 200_000, cpuSecondsPer100k: 0.25),
        ours: [
            .bulk: .init(perSecond: 210_000, cpuSecondsPer100k: 0.225),
            .async: .init(perSecond: 150_000, cpuSecondsPer100k: 0.35),
            .apns: .init(perSecond: 100_000, cpuSecondsPer100k: 0.5),
        ],
        distances: [.init(connections: 2, streams: 500, roundTripMilliseconds: 20, perSecond: 45_000)]
    )

    @Test func `a report compares with h2load and with what streams allow`() {
        #expect(
            report.lines(fitting: nil) == [
                "CLIENT                      PUSHES/S  OF H2LOAD  CPU S PER 100K  OF H2LOAD",
                "h2load                       200,000       1.00           0.250       1.00",
                "bulk                         210,000       1.05           0.225       0.90",
                "one async call a push        150,000       0.75           0.350       1.40",
                "one APNsClient call a push   100,000       0.50           0.500       2.00",
                "",
                "CONNECTIONS  STREAMS  ROUND TRIP MS  PUSHES/S  ALLOWED  SHARE",
                "          2      500           20.0    45,000   50,000   0.90",
                "",
                "Each the median of 5 runs in turns; client and server pinned to a core each.",
                "Allowed is what the streams let through: one push a stream and round trip.",
            ]
        )
    }

    @Test func `the object for scripts has every row`() throws {
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(ReportOptions.json(of: report).utf8)) as? [String: Any]
        )
        #expect(object["h2load"] as? [String: Double] == ["perSecond": 200_000, "cpuSecondsPer100k": 0.25])
        #expect(object["bulk"] as? [String: Double] == ["perSecond": 210_000, "cpuSecondsPer100k": 0.225])
        #expect(object["async"] as? [String: Double] == ["perSecond": 150_000, "cpuSecondsPer100k": 0.35])
        #expect(object["apns"] as? [String: Double] == ["perSecond": 100_000, "cpuSecondsPer100k": 0.5])
        #expect(object["medianOf"] as? Int == 5)
        let distance = try #require((object["distances"] as? [[String: Double]])?.first)
        #expect(distance["allowedPerSecond"] == 50_000)
        #expect(distance["share"] == 0.9)
        #expect(distance["connections"] == 2 && distance["streams"] == 500)
    }

    @Test(arguments: [("1.50s", 1.5), ("250.00ms", 0.25), ("900us", 0.0009)])
    func `h2load's time is read in its three units`(text: String, seconds: Double) throws {
        let report = "finished in \(text), 229000.10 req/s, 12.66MB/s\nstatus codes: 100 2xx, 0 3xx, 0 4xx, 0 5xx\n"
        #expect(abs(try #require(H2Load.seconds(from: report, pushes: 100)) - seconds) < 1e-12)
    }

    @Test(arguments: [
        "finished in 1.50s, 2290.10 req/s, 12.66MB/s\nstatus codes: 99 2xx, 0 3xx, 1 4xx, 0 5xx\n",
        "status codes: 100 2xx, 0 3xx, 0 4xx, 0 5xx\n",
        "",
    ])
    func `a run of h2load that did not take every push counts as none`(report: String) {
        #expect(H2Load.seconds(from: report, pushes: 100) == nil)
    }

    @Test func `a server is named by host and port`() {
        #expect(PushAddress(argument: "localhost:8443") == PushAddress(host: "localhost", port: 8443))
        #expect(PushAddress(argument: "[::1]:1") == PushAddress(host: "::1", port: 1))
        #expect(PushAddress(argument: "[::1]:1")?.text == "[::1]:1")
        for wrong in ["localhost", "localhost:", ":1", "localhost:0", "localhost:65536", "::1:1", "a:b"] {
            #expect(PushAddress(argument: wrong) == nil, "\(wrong)")
        }
    }

    @Test(arguments: PushStyle.allCases, [1, 3])
    func `every push is sent, in any style, over any number of connections`(
        style: PushStyle,
        connections: Int
    ) async throws {
        let (server, caFile) = try makeServer(Acceptance())
        defer { try? FileManager.default.removeItem(atPath: caFile) }
        let run = PushClientRun(
            peer: PushPeer(host: "127.0.0.1", port: server.port, caFile: caFile),
            style: style,
            pushes: 1_201,
            connections: connections,
            streams: 20
        )
        let measurement = try await run.measure()
        // Twenty a call, where they are sent in bulk.
        #expect(measurement.pushes == (style == .bulk ? 1_200 : 1_201))
        #expect(measurement.seconds > 0 && measurement.cpuSeconds > 0)
        await server.stop()
    }

    @Test func `a run in which a push is refused is no measurement`() async throws {
        let (server, caFile) = try makeServer(Acceptance(refusedPath: PushLoad.paths[3]))
        defer { try? FileManager.default.removeItem(atPath: caFile) }
        let peer = PushPeer(host: "127.0.0.1", port: server.port, caFile: caFile)
        let run = PushClientRun(peer: peer, style: .bulk, pushes: 100, connections: 1, streams: 10)
        await #expect(throws: MeasurementFailure.self) { try await run.measure() }
        await server.stop()
    }

    @Test func `a relay delays each direction, and loses nothing`() async throws {
        let (server, caFile) = try makeServer(Acceptance())
        defer { try? FileManager.default.removeItem(atPath: caFile) }
        let relay = try DelayRelay(to: PushAddress(host: "127.0.0.1", port: server.port), delay: .milliseconds(15))
        relay.start()
        let run = PushClientRun(
            peer: PushPeer(host: "127.0.0.1", port: relay.port, caFile: caFile),
            style: .async,
            pushes: 5,
            connections: 1,
            streams: 1
        )
        let measurement = try await run.measure()
        #expect(measurement.seconds >= 5 * 0.030)
        await server.stop()
    }

    private func makeServer(_ handler: Acceptance) throws -> (HTTP2Server, caFile: String) {
        let authority = try CertificateAuthority(name: "Test authority")
        let caFile = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem").path
        try authority.certificatePEM.write(toFile: caFile, atomically: true, encoding: .utf8)
        let identity = try authority.issueIdentity(for: ["127.0.0.1"])
        return (try HTTP2Server(configuration: .init(identity: identity), handler: handler), caFile)
    }
}
