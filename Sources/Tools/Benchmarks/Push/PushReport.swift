import CommandLineSupport

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
    /// Our client, by how it is asked; each style is there.
    let ours: [PushStyle: Client]
    /// None where there can be no relay.
    let distances: [Distance]

    private var clients: [(name: String, Client)] {
        [("h2load", h2load)] + PushStyle.allCases.compactMap { style in ours[style].map { (style.title, $0) } }
    }

    func lines(fitting width: Int?) -> [String] {
        let clients = Table(
            [
                .init("CLIENT"), .init("PUSHES/S", isNumber: true), .init("OF H2LOAD", isNumber: true),
                .init("CPU S PER 100K", isNumber: true), .init("OF H2LOAD", isNumber: true),
            ],
            rows: clients.map { name, client in
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
        let tables =
            clients.lines(fitting: width) + (self.distances.isEmpty ? [] : [""] + distances.lines(fitting: width))
        return tables + [
            "",
            "Each the median of \(PushBench.runs) runs in turns; client and server pinned to a core each.",
            self.distances.isEmpty
                ? "No figures at a distance: the relay for them is before servers at 127.0.0.1 or localhost only."
                : "Allowed is what the streams let through: one push a stream and round trip.",
        ]
    }
}

extension PushReport {
    private enum CodingKeys: CodingKey {
        case h2load, bulk, async, apns, distances, medianOf
    }

    /// Encodes the rows and how many runs each is the median of.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(h2load, forKey: .h2load)
        for (style, client) in ours {
            switch style {
            case .bulk: try container.encode(client, forKey: .bulk)
            case .async: try container.encode(client, forKey: .async)
            case .apns: try container.encode(client, forKey: .apns)
            }
        }
        try container.encode(distances, forKey: .distances)
        try container.encode(PushBench.runs, forKey: .medianOf)
    }
}

extension PushStyle {
    /// For people.
    fileprivate var title: String {
        switch self {
        case .bulk: "bulk"
        case .async: "one async call a push"
        case .apns: "one APNsClient call a push"
        }
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
