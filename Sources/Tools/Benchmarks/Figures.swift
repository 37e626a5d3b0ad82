import CommandLineSupport

/// What a command measures: the raw value is the field of the report that has it.
protocol FigureName: RawRepresentable<String>, CaseIterable, Hashable {
    /// For people.
    var title: String { get }
    /// What the number counts.
    var unit: FigureUnit { get }
}

/// What a measured number counts.
enum FigureUnit {
    case ticksPerSecond
    case microseconds

    /// For people.
    var title: String {
        switch self {
        case .ticksPerSecond: "ticks/s"
        case .microseconds: "µs"
        }
    }

    /// A number of it for people, as exact as it is worth.
    func text(_ number: Double) -> String {
        switch self {
        case .ticksPerSecond: NumberText.text(number)
        case .microseconds: NumberText.text(number, digits: 2)
        }
    }
}

/// Measured numbers, each of them from several runs.
struct Figures<Name: FigureName> {
    /// How many runs each number is from; odd, so that one of them is the median.
    static var runs: Int { 5 }

    private let spreads: [Name: Spread]

    /// Measures everything in turns.
    ///
    /// A machine that slows down on the way slows all numbers alike, which keeps their ratios. The first turn warms up
    /// and does not count.
    init<Failure>(measuring measure: (Name) throws(Failure) -> Double) throws(Failure) {
        let names = Array(Name.allCases)
        var progress = Progress(of: names.count * (Self.runs + 1))
        var numbers: [Name: [Double]] = [:]
        for turn in 0...Self.runs {
            for name in names {
                let number = try measure(name)
                if turn > 0 { numbers[name, default: []].append(number) }
                progress.advance()
            }
        }
        spreads = numbers.mapValues { Spread(of: $0) }
    }

    subscript(name: Name) -> Spread {
        guard let spread = spreads[name] else { preconditionFailure("every figure is measured, and \(name) is not") }
        return spread
    }
}

extension Figures {
    /// A row for each, in the order in which they are declared.
    var table: Table {
        Table(
            [
                .init("FIGURE"), .init("MEDIAN", isNumber: true), .init("LOWEST", isNumber: true),
                .init("HIGHEST", isNumber: true), .init("UNIT"),
            ],
            rows: Name.allCases.map { name in
                let spread = self[name]
                let numbers = [spread.median, spread.lowest, spread.highest].map(name.unit.text)
                return [name.title] + numbers + [name.unit.title]
            }
        )
    }
}

extension Figures: Encodable {
    private struct Field: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    /// Encodes each median under its name, `medianOf`, and under `spread` how far each reaches.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Field.self)
        try container.encode(Self.runs, forKey: Field("medianOf"))
        var spreads = container.nestedContainer(keyedBy: Field.self, forKey: Field("spread"))
        for name in Name.allCases {
            try container.encode(self[name].median, forKey: Field(name.rawValue))
            try spreads.encode(self[name], forKey: Field(name.rawValue))
        }
    }
}

/// The median of some numbers, and how far they reach.
struct Spread: Encodable, Hashable {
    let lowest: Double
    let median: Double
    let highest: Double

    /// Of an odd number of numbers.
    init(of numbers: [Double]) {
        precondition(numbers.count % 2 == 1, "one of \(numbers.count) numbers must be the median")
        let sorted = numbers.sorted()
        lowest = sorted[0]
        median = sorted[sorted.count / 2]
        highest = sorted[sorted.count - 1]
    }
}
