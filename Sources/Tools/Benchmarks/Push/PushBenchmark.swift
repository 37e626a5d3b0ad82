import ArgumentParser
import Foundation

/// `rangers-bench push`: the speed of sending pushes.
struct PushBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract:
            "Sends pushes over HTTP/2 to a server that accepts them all, and compares h2load with the same pushes.",
        discussion: """
            Client and server are processes of their own, each pinned to a core. The server is one of ours, unless \
            --server names another one, such as nghttpd, which must answer every POST with 200. h2load (Debian's \
            nghttp2-client) sends the same fields and bodies over one connection with as many streams. CPU time is that \
            of the client, kernel included. Each figure is the median of \(runs) runs.

            Then the server, if it is at 127.0.0.1 or localhost, is measured behind a relay that adds \
            \(Int(roundTrip / .milliseconds(1))) ms to the round trip, over one connection and over several.

            JSON: {h2load, bulk, async, apnsBatch, apns: {perSecond, cpuSecondsPer100k}, distances: [{connections, streams, \
            roundTripMilliseconds, perSecond, allowedPerSecond, share}], medianOf}.
            """
    )
    static let reportsSpeed = true
    private static let runs = 5
    private static let streams = 1_000
    private static let roundTrip = Duration.milliseconds(20)
    /// Connections and streams per connection: one large connection, then one to four smaller ones.
    private static let distances = [(1, streams), (1, 250), (2, 250), (4, 250)]
    private static let clientCore = 0
    private static let serverCore = 1
    /// The maximum duration of one run of one client.
    static let maxRun = Duration.seconds(3_600)

    @Option(help: ArgumentHelp("Another server to measure with.", valueName: "host:port")) var server: HostPort?

    @Option(help: ArgumentHelp("The certificate authority of that server, as PEM.", valueName: "path")) var caFile:
        String?

    @Option(help: ArgumentHelp("The number of pushes per run.", valueName: "count")) var pushes = 300_000

    @OptionGroup var options: ReportOptions

    func validate() throws {
        try Self.check("--pushes", pushes, in: 1_000...10_000_000)
        if caFile != nil, server == nil { throw ValidationError("--ca-file needs --server") }
    }

    func measure() async throws -> Report {
        try H2Load.require()
        guard ProcessInfo.processInfo.activeProcessorCount > 1 else {
            throw BenchmarkFailure("Client and server need a core each, and this machine has one")
        }
        let folder = try TemporaryFolder()
        if let server { return try await measure(PushServer(address: server, caFile: caFile), in: folder) }
        let caFile = folder.path("ca.pem")
        let process = try ChildProgram(helper: ["push-server", "--ca-file", caFile], core: Self.serverCore, in: folder)
        defer { process.kill() }
        let address = HostPort(host: "127.0.0.1", port: try await process.port())
        return try await measure(PushServer(address: address, caFile: caFile), in: folder)
    }

    private func measure(_ server: PushServer, in folder: TemporaryFolder) async throws -> Report {
        let h2load = try H2Load(server: server, streams: Self.streams, folder: folder)
        var results: [String: [PushMeasurement]] = [:]
        var progress = Progress(
            of: (1 + PushStyle.allCases.count) * Self.runs
                + (server.isLocal ? (1 + Self.distances.count) * Self.runs : 0)
        )
        // In turns, so that a change of the machine's speed affects all clients alike.
        for _ in 0..<Self.runs {
            results["h2load", default: []].append(try await h2load.measure(pushes: pushes, core: Self.clientCore))
            progress.advance()
            for style in PushStyle.allCases {
                results[style.rawValue, default: []].append(
                    try await Self.runClient(style, pushes: pushes, to: server, in: folder)
                )
                progress.advance()
            }
        }
        let distances = try await measureDistances(to: server, in: folder, &progress)
        return Self.report(results, distances: distances)
    }

    /// Measures the client behind a relay that adds latency; returns no measurements for a remote server.
    ///
    /// The relay runs on this machine, which the certificate of a remote server does not name. The round trip is the
    /// time per push when each push waits for the response to the previous one, with all overheads.
    private func measureDistances(to server: PushServer, in folder: TemporaryFolder, _ progress: inout Progress)
        async throws -> [PushDistance]
    {
        guard server.isLocal else { return [] }
        let delay = String(Int(Self.roundTrip / .milliseconds(2)))
        let relay = try ChildProgram(
            helper: ["push-relay", "--server", "127.0.0.1:\(server.address.port)", "--milliseconds", delay],
            core: Self.serverCore,
            in: folder
        )
        defer { relay.kill() }
        let address = HostPort(host: server.address.host, port: try await relay.port())
        let remote = PushServer(address: address, caFile: server.caFile)
        func median(_ style: PushStyle, pushes: Int, _ connections: Int, _ streams: Int) async throws -> Double {
            var rates: [Double] = []
            for _ in 0..<Self.runs {
                let run = try await Self.runClient(style, pushes: pushes, to: remote, connections, streams, in: folder)
                rates.append(run.perSecond)
                progress.advance()
            }
            return rates.median
        }
        let roundTrip = 1_000 / (try await median(.async, pushes: 50, 1, 1))
        var results: [PushDistance] = []
        for (connections, streams) in Self.distances {
            let pushes = 40 * connections * streams
            results.append(
                PushDistance(
                    connections: connections,
                    streams: streams,
                    roundTripMilliseconds: roundTrip,
                    perSecond: try await median(.bulk, pushes: pushes, connections, streams)
                )
            )
        }
        return results
    }

    private static func runClient(
        _ style: PushStyle,
        pushes: Int,
        to server: PushServer,
        _ connections: Int = 1,
        _ streams: Int = Self.streams,
        in folder: TemporaryFolder
    ) async throws -> PushMeasurement {
        let arguments = [
            "push-client", "--server", server.address.text, "--style", style.rawValue, "--pushes", String(pushes),
            "--connections", String(connections), "--streams", String(streams),
        ]
        let authority = server.caFile.map { ["--ca-file", $0] } ?? []
        let process = try ChildProgram(helper: arguments + authority, core: clientCore, in: folder, serves: false)
        return try await process.result(within: maxRun)
    }

    /// Returns the report of all runs.
    ///
    /// `results` has the runs of each client by its JSON field; without a relay, `distances` is empty.
    static func report(_ results: [String: [PushMeasurement]], distances: [PushDistance]) -> Report {
        let h2load = results["h2load"] ?? []
        let titles = [("h2load", "h2load")] + PushStyle.allCases.map { ($0.rawValue, $0.title) }
        let clients = titles.compactMap { name, title -> (name: String, row: Report.Row)? in
            guard let runs = results[name] else { return nil }
            let rate = runs.map(\.perSecond).median
            let cpu = runs.map(\.cpuSecondsPer100k).median
            let row: Report.Row = [
                .text(nil, "CLIENT", title), .number("perSecond", "PUSHES/S", rate),
                .number(nil, "OF H2LOAD", rate / h2load.map(\.perSecond).median, digits: 2),
                .number("cpuSecondsPer100k", "CPU S PER 100K", cpu, digits: 3),
                .number(nil, "OF H2LOAD", cpu / h2load.map(\.cpuSecondsPer100k).median, digits: 2),
            ]
            return (name, row)
        }
        var report = Report()
        for client in clients { report.set(client.name, client.row) }
        report.add(clients.map(\.row))
        report.add(distances.map(\.row), as: "distances")
        report.set("medianOf", runs)
        report.add([
            "Each figure is the median of \(runs) runs in turns; client and server are pinned to a core each.",
            distances.isEmpty
                ? "No figures at a distance: the relay for them needs a server at 127.0.0.1 or localhost."
                : "ALLOWED is the limit of the streams: one push per stream and round trip.",
        ])
        return report
    }
}

/// The speed over a connection to a distant server.
struct PushDistance {
    let connections: Int
    /// The number of streams per connection.
    let streams: Int
    let roundTripMilliseconds: Double
    let perSecond: Double

    var row: Report.Row {
        let allowed = Double(connections * streams) / roundTripMilliseconds * 1_000
        return [
            .count("connections", "CONNECTIONS", connections), .count("streams", "STREAMS", streams),
            .number("roundTripMilliseconds", "ROUND TRIP MS", roundTripMilliseconds, digits: 1),
            .number("perSecond", "PUSHES/S", perSecond), .number("allowedPerSecond", "ALLOWED", allowed),
            .number("share", "SHARE", perSecond / allowed, digits: 2),
        ]
    }
}

/// The result of one run of one client.
struct PushMeasurement: Codable, Hashable, Sendable {
    let pushes: Int
    let seconds: Double
    /// The CPU time of the client's process, kernel included.
    let cpuSeconds: Double

    var perSecond: Double { Double(pushes) / seconds }
    var cpuSecondsPer100k: Double { cpuSeconds * 100_000 / Double(pushes) }
}

/// A push server.
struct PushServer: Hashable, Sendable {
    let address: HostPort
    /// The file with the server's certificate authority; nil for those of the system.
    let caFile: String?

    /// Whether the server is known to listen on 127.0.0.1.
    var isLocal: Bool { ["127.0.0.1", "localhost"].contains(address.host) }

    var url: String { "https://\(address.text)" }
}

/// A host and a port: `HOST:PORT` on the command line, with an IPv6 address in brackets.
struct HostPort: Hashable, Sendable {
    let host: String
    let port: Int

    var text: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

extension HostPort: ExpressibleByArgument {
    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"), let port = Int(argument[argument.index(after: colon)...]),
            (1...65_535).contains(port)
        else { return nil }
        let host = argument[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard !host.isEmpty, isBracketed || !host.contains(":") else { return nil }
        self.init(host: String(isBracketed ? host.dropFirst().dropLast() : host), port: port)
    }
}
