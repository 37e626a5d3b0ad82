import ArgumentParser
import Foundation
import HTTP2Transport
import Testing

@testable import Benchmarks

@Suite(.timeLimit(.minutes(10)))
struct PushTests {
    /// A handler that accepts every push except those to one path.
    private struct Acceptance: HTTP2RequestHandler {
        var rejectedPath = ""

        func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
            HTTP2Response(status: request.path == rejectedPath ? 410 : 200)
        }
    }

    private var report: Report {
        func run(_ perSecond: Double, _ cpuSeconds: Double) -> PushMeasurement {
            PushMeasurement(pushes: 100_000, seconds: 100_000 / perSecond, cpuSeconds: cpuSeconds)
        }
        return PushBenchmark.report(
            [
                "h2load": [run(200_000, 0.25)], "bulk": [run(250_000, 0.225)], "async": [run(100_000, 0.35)],
                "apnsBatch": [run(225_000, 0.25)], "apns": [run(50_000, 0.5)],
            ],
            distances: [.init(connections: 2, streams: 500, roundTripMilliseconds: 20, perSecond: 45_000)]
        )
    }

    @Test func `the report compares our client with h2load and with the limit of the streams`() {
        #expect(
            report.lines(fitting: nil) == [
                "CLIENT                        PUSHES/S  OF H2LOAD  CPU S PER 100K  OF H2LOAD",
                "h2load                         200,000       1.00           0.250       1.00",
                "bulk                           250,000       1.25           0.225       0.90",
                "one async call per push        100,000       0.50           0.350       1.40",
                "APNsClient batches             225,000       1.13           0.250       1.00",
                "one APNsClient call per push    50,000       0.25           0.500       2.00",
                "",
                "CONNECTIONS  STREAMS  ROUND TRIP MS  PUSHES/S  ALLOWED  SHARE",
                "          2      500           20.0    45,000   50,000   0.90",
                "",
                "Each figure is the median of 5 runs in turns; client and server are pinned to a core each.",
                "ALLOWED is the limit of the streams: one push per stream and round trip.",
            ]
        )
    }

    @Test func `the JSON object has every client and distance`() throws {
        let object = try report.object
        #expect(object["h2load"] as? [String: Double] == ["perSecond": 200_000, "cpuSecondsPer100k": 0.25])
        #expect(object["bulk"] as? [String: Double] == ["perSecond": 250_000, "cpuSecondsPer100k": 0.225])
        #expect(object["async"] as? [String: Double] == ["perSecond": 100_000, "cpuSecondsPer100k": 0.35])
        #expect(object["apnsBatch"] as? [String: Double] == ["perSecond": 225_000, "cpuSecondsPer100k": 0.25])
        #expect(object["apns"] as? [String: Double] == ["perSecond": 50_000, "cpuSecondsPer100k": 0.5])
        #expect(object["medianOf"] as? Int == 5)
        let distance = try #require((object["distances"] as? [[String: Double]])?.first)
        #expect(distance["allowedPerSecond"] == 50_000 && distance["share"] == 0.9)
        #expect(distance["connections"] == 2 && distance["streams"] == 500)
    }

    @Test(arguments: [("1.50s", 1.5), ("250.00ms", 0.25), ("900us", 0.0009)])
    func `the time of h2load is parsed in its three units`(text: String, seconds: Double) throws {
        let report = "finished in \(text), 229000.10 req/s, 12.66MB/s\nstatus codes: 100 2xx, 0 3xx, 0 4xx, 0 5xx\n"
        #expect(abs(try #require(H2Load.seconds(from: report, pushes: 100)) - seconds) < 1e-12)
    }

    @Test(arguments: [
        "finished in 1.50s, 2290.10 req/s, 12.66MB/s\nstatus codes: 99 2xx, 0 3xx, 1 4xx, 0 5xx\n",
        "status codes: 100 2xx, 0 3xx, 0 4xx, 0 5xx\n",
        "",
    ])
    func `a run of h2load without 200 for every push has no time`(report: String) {
        #expect(H2Load.seconds(from: report, pushes: 100) == nil)
    }

    @Test func `a server address is a host and a port`() {
        #expect(HostPort(argument: "localhost:8443") == HostPort(host: "localhost", port: 8443))
        #expect(HostPort(argument: "[::1]:1") == HostPort(host: "::1", port: 1))
        #expect(HostPort(argument: "[::1]:1")?.text == "[::1]:1")
        for wrong in ["localhost", "localhost:", ":1", "localhost:0", "localhost:65536", "::1:1", "a:b"] {
            #expect(HostPort(argument: wrong) == nil, "\(wrong)")
        }
    }

    @Test(arguments: PushStyle.allCases, [1, 3])
    func `every push is sent in each style over any number of connections`(
        style: PushStyle,
        connections: Int
    ) async throws {
        let (server, caFile) = try makeServer(Acceptance())
        defer { try? FileManager.default.removeItem(atPath: caFile) }
        let run = PushClientRun(
            server: PushServer(address: HostPort(host: "127.0.0.1", port: server.port), caFile: caFile),
            style: style,
            pushes: 1_201,
            connections: connections,
            streams: 20
        )
        let measurement = try await run.measure()
        // The bulk client sends twenty per call.
        #expect(measurement.pushes == (style == .bulk ? 1_200 : 1_201))
        #expect(measurement.seconds > 0 && measurement.cpuSeconds > 0)
        await server.stop()
    }

    @Test func `a rejected push fails the run`() async throws {
        let (server, caFile) = try makeServer(Acceptance(rejectedPath: PushLoad.paths[3]))
        defer { try? FileManager.default.removeItem(atPath: caFile) }
        let address = HostPort(host: "127.0.0.1", port: server.port)
        let run = PushClientRun(
            server: PushServer(address: address, caFile: caFile),
            style: .bulk,
            pushes: 100,
            connections: 1,
            streams: 10
        )
        await #expect(throws: BenchmarkFailure.self) { try await run.measure() }
        await server.stop()
    }

    @Test func `a relay delays each direction`() async throws {
        let (server, caFile) = try makeServer(Acceptance())
        defer { try? FileManager.default.removeItem(atPath: caFile) }
        let relay = try DelayRelay(to: HostPort(host: "127.0.0.1", port: server.port), delay: .milliseconds(15))
        relay.start()
        let run = PushClientRun(
            server: PushServer(address: HostPort(host: "127.0.0.1", port: relay.port), caFile: caFile),
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
