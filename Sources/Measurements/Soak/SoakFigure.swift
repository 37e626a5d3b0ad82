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

    /// Such as `rangersd 1 memory`.
    let name: String
    let unit: Unit
    /// By how much it may grow beyond a share of itself; nil where growth is nobody's fault.
    let allowance: Double?

    /// Resident memory of a process.
    static func memory(of process: String, isJudged: Bool) -> Self {
        Self(name: "\(process) memory", unit: .mebibytes, allowance: isJudged ? mebibytesAllowed : nil)
    }

    /// Open file descriptors of a process.
    static func descriptors(of process: String) -> Self {
        Self(name: "\(process) descriptors", unit: .count, allowance: descriptorsAllowed)
    }

    /// A table with its indexes and whatever is dead in it.
    ///
    /// What is removed after a time must come to an end of its growth; the rest is as large as what was played.
    static func size(of table: String, isSwept: Bool) -> Self {
        Self(name: "\(table) size", unit: .mebibytes, allowance: isSwept ? mebibytesAllowed : nil)
    }

    /// Rows of a table that nobody can see any more; vacuum comes when they are a fifth of it.
    static func deadRows(of table: String) -> Self { Self(name: "\(table) dead rows", unit: .count, allowance: nil) }

    /// Sessions of PostgreSQL.
    static let connections = Self(name: "connections", unit: .count, allowance: descriptorsAllowed)
    /// Parties that were not disbanded; some of them come and go all the time.
    static func parties(guests: Int) -> Self {
        Self(name: "parties", unit: .count, allowance: Double(guests) + descriptorsAllowed)
    }

    /// Journeys and fights under way.
    static let adventures = Self(name: "adventures", unit: .count, allowance: nil)
    /// Of all nodes.
    static let ticks = Self(name: "ticks", unit: .perSecond, allowance: nil)
    /// That APNs has accepted.
    static let pushes = Self(name: "pushes", unit: .perSecond, allowance: nil)
}
