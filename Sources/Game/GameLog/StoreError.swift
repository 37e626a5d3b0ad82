public import GameCore

/// An error of the store other than those that PostgreSQL reports.
public enum StoreError: Error, Sendable, CustomStringConvertible {
    /// A row cannot be decoded by this version of the program.
    case undecodable(table: String, id: String, reason: String)
    /// A statement changed fewer rows than expected.
    case lostRows(statement: String, expected: Int, changed: Int)
    /// The shard's row is missing: the database was restored incompletely, or tampered with.
    case missingShard(Shard)
    /// A newer version of the program has written something to the shard that this version does not know.
    case newerShard(Shard, requires: Int)
    /// Another session holds the shard's row, and enough transactions of this node wait for it. Nothing was executed.
    case shardBusy(Shard)
    /// The catalogue of this version of the program does not have a hero.
    case newerHero(HeroID)

    /// The error in one sentence.
    public var description: String {
        switch self {
        case .undecodable(let table, let id, let reason):
            "row \(id) of \(table) cannot be decoded: \(reason); was it written by a newer version?"
        case .lostRows(let statement, let expected, let changed):
            "\(statement) should have changed \(expected) rows but changed \(changed)"
        case .missingShard(let shard):
            "the table shards has no row \(shard.rawValue); the migrations create all 256"
        case .newerShard(let shard, let version):
            """
            shard \(shard.rawValue) needs version \(version) of rules and log entries, but this release knows up to \
            \(RulesVersion.newest.rawValue): upgrade this node
            """
        case .shardBusy(let shard):
            "another session holds the row of shard \(shard.rawValue): 'rangersctl doctor' lists sessions that block others"
        case .newerHero(let hero):
            "the catalogue of this release has no hero '\(hero)': upgrade this node"
        }
    }
}
