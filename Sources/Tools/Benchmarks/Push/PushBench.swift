import Foundation

/// Runs clients and server in processes of their own, pinned to two cores, in turns.
struct PushBench {
    /// Odd, so that one of them is the median.
    static let runs = 5
    static let streams = 1_000
    static let roundTrip = Duration.milliseconds(20)
    /// Connections and streams on each: a whole connection, then what more connections of a smaller one bring.
    static let distances = [(1, streams), (1, 250), (2, 250), (4, 250)]

    private static let clientCore = 0
    private static let serverCore = 1

    let peer: PushPeer
    let pushes: Int
    let folder: URL

    /// Measures against a server, or one of our own that is started for it.
    static func report(server: PushAddress?, caFile: String?, pushes: Int) throws -> PushReport {
        try H2Load.require()
        guard ProcessInfo.processInfo.activeProcessorCount > 1 else {
            throw MeasurementFailure("Client and server take a core each, and this machine has one")
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "rangers-bench-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A folder left behind in the temporary directory harms nobody.
        defer { try? FileManager.default.removeItem(at: folder) }
        if let server {
            let peer = PushPeer(host: server.host, port: server.port, caFile: caFile)
            return try Self(peer: peer, pushes: pushes, folder: folder).report()
        }
        let caFile = folder.appending(path: "ca.pem").path
        let process = try HelperProcess(core: serverCore, arguments: ["push-server", "--ca-file", caFile])
        defer { process.stop() }
        let peer = PushPeer(host: "127.0.0.1", port: try process.port(), caFile: caFile)
        return try Self(peer: peer, pushes: pushes, folder: folder).report()
    }

    private func report() throws -> PushReport {
        let h2load = try H2Load(peer: peer, streams: Self.streams, folder: folder)
        var ofH2Load: [PushMeasurement] = []
        var ofStyle: [PushStyle: [PushMeasurement]] = [:]
        var progress = Progress(
            of: (1 + PushStyle.allCases.count) * Self.runs + (peer.isHere ? Self.distances.count * (Self.runs + 1) : 0)
        )
        // In turns: a machine that slows down on the way slows all alike, which keeps their ratios.
        for _ in 0..<Self.runs {
            ofH2Load.append(try h2load.measure(pushes: pushes, core: Self.clientCore))
            progress.advance()
            for style in PushStyle.allCases {
                ofStyle[style, default: []].append(try client(style, pushes: pushes))
                progress.advance()
            }
        }
        return PushReport(
            h2load: .init(ofH2Load),
            ours: ofStyle.mapValues(PushReport.Client.init),
            distances: try distances(&progress)
        )
    }

    /// Behind a relay that delays, which is on this machine, and so only for servers that are too: another one's certificate
    /// does not carry its name.
    ///
    /// The round trip is what one push after another takes, so with all that adds to it.
    private func distances(_ progress: inout Progress) throws -> [PushReport.Distance] {
        guard peer.isHere else { return [] }
        let delay = String(Int(Self.roundTrip / .milliseconds(2)))
        let relay = try HelperProcess(
            core: Self.serverCore,
            arguments: ["push-relay", "--server", "127.0.0.1:\(peer.port)", "--milliseconds", delay]
        )
        defer { relay.stop() }
        let far = PushPeer(host: peer.host, port: try relay.port(), caFile: peer.caFile)
        let single = try (0..<Self.runs).map { _ in
            try client(.async, pushes: 50, to: far, streams: 1).perSecond
        }
        let roundTripMilliseconds = 1_000 / Spread(of: single).median
        return try Self.distances.map { connections, streams in
            let pushes = 40 * connections * streams
            let runs = try (0..<Self.runs).map { _ in
                defer { progress.advance() }
                return try client(.bulk, pushes: pushes, to: far, connections: connections, streams: streams).perSecond
            }
            progress.advance()
            return PushReport.Distance(
                connections: connections,
                streams: streams,
                roundTripMilliseconds: roundTripMilliseconds,
                perSecond: Spread(of: runs).median
            )
        }
    }

    private func client(
        _ style: PushStyle,
        pushes: Int,
        to other: PushPeer? = nil,
        connections: Int = 1,
        streams: Int = Self.streams
    ) throws -> PushMeasurement {
        let peer = other ?? peer
        let process = try HelperProcess(
            core: Self.clientCore,
            arguments: [
                "push-client", "--server", PushAddress(host: peer.host, port: peer.port).text,
                "--style", style.rawValue, "--pushes", String(pushes), "--connections", String(connections),
                "--streams", String(streams),
            ] + (peer.caFile.map { ["--ca-file", $0] } ?? [])
        )
        return try JSONDecoder().decode(PushMeasurement.self, from: process.finish())
    }
}
