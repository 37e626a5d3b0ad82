import RangersCommandLine

/// How our client compares with h2load, and what distance leaves of it.
struct PushReport: Report {
    static let isAboutSpeed = true

    /// One client's figures, each the median of its runs.
    struct Client: Encodable, Hashable {
        let perSecond: Double
        let cpuSecondsPer100k: Double
    }

    /// A server that is far away.
    struct Distance: Encodable, Hashable {
        let connections: Int
        /// On each connection.
        let streams: Int
        let roundTripMilliseconds: Double
        let perSecond: Double

        /// What the streams allow: each carries one push in a round trip.
        let allowedPerSecond: Double
        let share: Double

        init(connections: Int, streams: Int, roundTripMilliseconds: Double, perSecond: Double) {
            self.connections = connections
            self.streams = streams
            self.roundTripMilliseconds = roundTripMilliseconds
            self.perSecond = perSecond
            allowedPerSecond = Double(connections * streams) / roundTripMilliseconds * 1_000
            share = perSecond / allowedPerSecond
        }
    }

    let h2load: Client
    let bulk: Client
    let async: Client
    let distances: [Distance]

    func lines(fitting width: Int?) -> [String] {
        let clients = Table(
            [
                .init("CLIENT"), .init("PUSHES/S", isNumber: true), .init("OF H2LOAD", isNumber: true),
                .init("CPU S PER 100K", isNumber: true), .init("OF H2LOAD", isNumber: true),
            ],
            rows: [("h2load", h2load), ("bulk", bulk), ("one async call a push", async)].map { name, client in
                [
                    name, NumberText.text(client.perSecond),
                    NumberText.text(client.perSecond / h2load.perSecond, digits: 2),
                    NumberText.text(client.cpuSecondsPer100k, digits: 3),
                    NumberText.text(client.cpuSecondsPer100k / h2load.cpuSecondsPer100k, digits: 2),
                ]
            }
        )
        let distances = Table(
            [
                .init("CONNECTIONS", isNumber: true), .init("STREAMS", isNumber: true),
                .init("ROUND TRIP MS", isNumber: true), .init("PUSHES/S", isNumber: true),
                .init("ALLOWED", isNumber: true), .init("SHARE", isNumber: true),
            ],
            rows: self.distances.map { row in
                [
                    String(row.connections), String(row.streams),
                    NumberText.text(row.roundTripMilliseconds, digits: 1), NumberText.text(row.perSecond),
                    NumberText.text(row.allowedPerSecond), NumberText.text(row.share, digits: 2),
                ]
            }
        )
        return clients.lines(fitting: width) + [""] + distances.lines(fitting: width) + [
            "",
            "Each the median of \(PushBench.runs) runs in turns; client and server pinned to a core each.",
            "Allowed is what the streams let through: one push a stream and round trip.",
        ]
    }
}

extension PushReport {
    private enum CodingKeys: CodingKey {
        case h2load, bulk, async, distances, medianOf
    }

    /// Encodes the rows and how many runs each is the median of.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(h2load, forKey: .h2load)
        try container.encode(bulk, forKey: .bulk)
        try container.encode(async, forKey: .async)
        try container.encode(distances, forKey: .distances)
        try container.encode(PushBench.runs, forKey: .medianOf)
    }
}

extension PushReport.Client {
    init(_ runs: [PushMeasurement]) {
        self.init(
            perSecond: Spread(of: runs.map(\.perSecond)).median,
            cpuSecondsPer100k: Spread(of: runs.map(\.cpuSecondsPer100k)).median
        )
    }
}
