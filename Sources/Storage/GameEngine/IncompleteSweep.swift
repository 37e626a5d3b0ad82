public import GameCore

/// Some of what has expired could not be removed; a later round removes it.
public struct IncompleteSweep: Error, CustomStringConvertible {
    /// Of which shards something is left, in order; none when it is codes alone.
    public let shards: [Shard]
    /// How often something failed.
    public let failures: Int
    /// What failed first.
    public let first: any Error
    /// Whether so much failed in a row that the rest was not tried.
    public let isBrokenOff: Bool

    /// One line for a log.
    public var description: String {
        let places = shards.isEmpty ? "" : " in shards \(shards.map { "\($0.rawValue)" }.joined(separator: ", "))"
        return "\(failures) failed\(places)\(isBrokenOff ? ", the rest was not tried" : ""); first: \(first)"
    }
}

/// What fails while one round removes what has expired.
struct SweepFaults {
    /// How many failures in a row mean that the database is away: those of eight shards, so that one that fails is
    /// nobody else's trouble.
    static let mostInARow = 32

    private var first: (any Error)?
    private var shards: [Shard] = []
    private var failures = 0
    private var inARow = 0

    mutating func noteSuccess() { inARow = 0 }

    /// - Parameters:
    ///   - error: what failed.
    ///   - shard: where; nil for what is of no shard.
    /// - Throws: ``IncompleteSweep`` when there is no use in going on.
    mutating func note(_ error: any Error, in shard: Shard?) throws(IncompleteSweep) {
        failures += 1
        inARow += 1
        if let shard, shards.last != shard { shards.append(shard) }
        let first = first ?? error
        self.first = first
        if inARow >= Self.mostInARow {
            throw IncompleteSweep(shards: shards, failures: failures, first: first, isBrokenOff: true)
        }
    }

    /// - Throws: ``IncompleteSweep`` when something failed.
    func tell() throws(IncompleteSweep) {
        guard let first else { return }
        throw IncompleteSweep(shards: shards, failures: failures, first: first, isBrokenOff: false)
    }
}
