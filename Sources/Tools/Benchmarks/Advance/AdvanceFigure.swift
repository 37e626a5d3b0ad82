/// What `rangers-bench advance` measures.
enum AdvanceFigure: String, FigureName {
    /// Four heroes, by ticks alone.
    case ticksPerSecond
    /// Four heroes.
    case journeyTicksPerSecond
    /// Four heroes, each of whose turns a command resolves.
    case commandTicksPerSecond
    /// Eight heroes, by ticks alone.
    case ticksOfEightPerSecond
    /// A fight of eight heroes, as it is stored.
    case encodeMicroseconds
    case decodeMicroseconds
    /// The same by Foundation.
    case jsonEncodeMicroseconds
    case jsonDecodeMicroseconds

    var title: String {
        switch self {
        case .ticksPerSecond: "boss fight of four"
        case .journeyTicksPerSecond: "journey of four"
        case .commandTicksPerSecond: "boss fight of four, by commands"
        case .ticksOfEightPerSecond: "boss fight of eight"
        case .encodeMicroseconds: "state of eight, encoded"
        case .decodeMicroseconds: "state of eight, decoded"
        case .jsonEncodeMicroseconds: "the same by JSONEncoder"
        case .jsonDecodeMicroseconds: "the same by JSONDecoder"
        }
    }

    var unit: FigureUnit {
        switch self {
        case .ticksPerSecond, .journeyTicksPerSecond, .commandTicksPerSecond, .ticksOfEightPerSecond: .ticksPerSecond
        case .encodeMicroseconds, .decodeMicroseconds, .jsonEncodeMicroseconds, .jsonDecodeMicroseconds: .microseconds
        }
    }
}
