/// What is watched over a long run.
struct SoakFigure: Hashable, Sendable {
    /// What the numbers count.
    enum Unit: String, Encodable, Sendable {
        case mebibytes
        case count
        case perSecond
    }

    /// What must stay flat may grow by so much all the same: a page here, a buffer there.
    private static let mebibytesAllowed = 8.0
    private static let descriptorsAllowed = 8.0
    /// How much larger than in the second quarter the figure may be in the last one: what caches and the load's own
    /// ups and downs make of it.
    private static let shareAllowed = 0.05
    /// A table that is swept swings with what comes between two sweeps and two rounds of vacuum; within a quarter of an hour
    /// it is as large as it becomes.
    private static let shareAllowedToTables = 1.0 / 3
    /// So many pages of 8 KiB come and go with an index: 128.
    private static let mebibytesAllowedToTables = 1.0
    /// How many dead rows there may be for each that lives.
    ///
    /// Autovacuum looks each minute, and cleans where more than a fifth of the rows are dead (PostgreSQL's defaults). Of what
    /// is kept for three minutes another third dies in a minute: with more dead rows than live ones it does not keep up.
    private static let deadRowsOfRows = 1.0
    /// What dies within a minute in a table of few rows that change all the time.
    private static let deadRowsAllowed = 5_000.0

    /// Such as `rangersd 1 memory`.
    let name: String
    let unit: Unit
    /// Up to where it is flat; nil where growth is nobody's fault.
    let limit: SoakLimit?

    /// Resident memory of a process.
    static func memory(of process: String, isJudged: Bool) -> Self {
        Self(name: "\(process) memory", unit: .mebibytes, limit: isJudged ? grown(mebibytesAllowed) : nil)
    }

    /// Open file descriptors of a process.
    static func descriptors(of process: String) -> Self {
        Self(name: "\(process) descriptors", unit: .count, limit: grown(descriptorsAllowed))
    }

    /// A table with its indexes and whatever is dead in it.
    ///
    /// What is removed after a time must come to an end of its growth; the rest is as large as what was played.
    static func size(of table: String, isSwept: Bool) -> Self {
        Self(
            name: "\(table) size",
            unit: .mebibytes,
            limit: isSwept ? .larger(share: shareAllowedToTables, rest: mebibytesAllowedToTables) : nil
        )
    }

    /// Rows of a table.
    static func rows(of table: String) -> Self { Self(name: "\(table) rows", unit: .count, limit: nil) }

    /// Rows of a table that nobody can see any more; vacuum comes when they are a fifth of it.
    static func deadRows(of table: String) -> Self {
        Self(
            name: "\(table) dead rows",
            unit: .count,
            limit: .level(share: deadRowsOfRows, of: rows(of: table).name, floor: deadRowsAllowed)
        )
    }

    /// Sessions of PostgreSQL.
    static let connections = Self(name: "connections", unit: .count, limit: grown(descriptorsAllowed))
    /// Parties that were not disbanded; some of them come and go all the time.
    static func parties(guests: Int) -> Self {
        Self(name: "parties", unit: .count, limit: grown(Double(guests) + descriptorsAllowed))
    }

    /// Journeys and fights under way.
    static let adventures = Self(name: "adventures", unit: .count, limit: nil)
    /// Of all nodes.
    static let ticks = Self(name: "ticks", unit: .perSecond, limit: nil)
    /// That APNs has accepted.
    static let pushes = Self(name: "pushes", unit: .perSecond, limit: nil)

    private static func grown(_ rest: Double) -> SoakLimit { .sum(share: shareAllowed, rest: rest) }
}
