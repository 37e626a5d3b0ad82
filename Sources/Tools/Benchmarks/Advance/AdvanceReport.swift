import CommandLineSupport

/// How fast the game itself is.
struct AdvanceReport: Report {
    static let isAboutSpeed = true

    let figures: Figures<AdvanceFigure>
    /// Of a stored state of eight heroes.
    let encodedBytes: Int
    /// Of the same state in JSON.
    let jsonBytes: Int

    /// How often a state is encoded in the time that JSON takes for it.
    var encodeRatio: Double { figures[.jsonEncodeMicroseconds].median / figures[.encodeMicroseconds].median }
    /// How often a state is decoded in the time that JSON takes for it.
    var decodeRatio: Double { figures[.jsonDecodeMicroseconds].median / figures[.decodeMicroseconds].median }
    /// What part reading and writing have of a tick of eight heroes between them, 0…1.
    var codecShare: Double { share(.decodeMicroseconds, .encodeMicroseconds) }
    /// The same if the state were stored as JSON.
    var jsonShare: Double { share(.jsonDecodeMicroseconds, .jsonEncodeMicroseconds) }

    func lines(fitting width: Int?) -> [String] {
        let ratios = [encodeRatio, decodeRatio].map { NumberText.text($0, digits: 1) }
        let ticks = [0, codecShare, jsonShare].map { NumberText.text(tickMicroseconds / (1 - $0), digits: 2) }
        let shares = [codecShare, jsonShare].map { NumberText.text($0 * 100, digits: 1) }
        return figures.table.lines(fitting: width) + [
            "",
            "Each the median of \(Figures<AdvanceFigure>.runs) runs on one core.",
            "A state of eight is \(encodedBytes) bytes, and \(jsonBytes) in JSON, which takes \(ratios[0]) times as "
                + "long to write and \(ratios[1]) times as long to read.",
            "A tick of eight takes \(ticks[0]) µs; with its state read before and written after \(ticks[1]) µs, "
                + "\(shares[0]) % of them for that; with JSON \(ticks[2]) µs, \(shares[1]) %.",
        ]
    }

    private var tickMicroseconds: Double { 1_000_000 / figures[.ticksOfEightPerSecond].median }

    private func share(_ reading: AdvanceFigure, _ writing: AdvanceFigure) -> Double {
        let coding = figures[reading].median + figures[writing].median
        return coding / (coding + tickMicroseconds)
    }
}

extension AdvanceReport {
    /// Measures for about so long.
    init(measuringFor length: Duration) throws {
        let workload = try AdvanceWorkload()
        let run = length / (AdvanceFigure.allCases.count * (Figures<AdvanceFigure>.runs + 1))
        self.init(
            figures: try Figures { try workload.measure($0, for: run) },
            encodedBytes: workload.encodedBytes,
            jsonBytes: workload.jsonBytes
        )
    }
}

extension AdvanceReport {
    private enum CodingKeys: CodingKey {
        case encodedBytes
        case jsonBytes
        case encodeRatio
        case decodeRatio
        case codecShare
        case jsonShare
    }

    /// Encodes the figures, and what follows from them, side by side.
    func encode(to encoder: any Encoder) throws {
        try figures.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(encodedBytes, forKey: .encodedBytes)
        try container.encode(jsonBytes, forKey: .jsonBytes)
        try container.encode(encodeRatio, forKey: .encodeRatio)
        try container.encode(decodeRatio, forKey: .decodeRatio)
        try container.encode(codecShare, forKey: .codecShare)
        try container.encode(jsonShare, forKey: .jsonShare)
    }
}
