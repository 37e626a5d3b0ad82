import GameCore
import JSONCoding
import RangersClient

/// The names of an adventure's heroes and of its boss, for events, which contain only seats.
struct HeroNames {
    /// The fields of events whose values are seats.
    private static let fields: Set = ["hero", "helper", "target"]

    private let names: [Int: String]
    /// The name of the boss; nil if it is unknown.
    let boss: String?

    /// Creates an object without names; heroes are shown by their seats.
    init() { (names, boss) = ([:], nil) }

    /// Creates the names of an adventure's heroes and boss; equal names of heroes are followed by the seat.
    init(of adventure: AdventureResponse) {
        let counts = Dictionary(adventure.heroes.map { ($0.hero.name, 1) }, uniquingKeysWith: +)
        names = Dictionary(
            adventure.heroes.map { hero in
                let seat = counts[hero.hero.name] == 1 ? "" : " (seat \(hero.seat.rawValue))"
                return (hero.seat.rawValue, "\(hero.hero.avatar) \(hero.hero.name)\(seat)")
            },
            uniquingKeysWith: { $1 }
        )
        boss = adventure.boss.map { "\($0.avatar) \($0.name)" }
    }

    /// Returns the seat in a field of an event; nil if the field does not contain a seat.
    static func seat(in field: String, _ value: JSONValue) -> Int? {
        fields.contains(field) ? value.integer : nil
    }

    /// Returns whether the name of a hero is missing.
    func lacks(_ seats: [Int]) -> Bool { seats.contains { names[$0] == nil } }

    /// Returns the value of an event's field for people: the hero's name for a known seat.
    func text(of field: String, _ value: JSONValue) -> String {
        Self.seat(in: field, value).flatMap { names[$0] } ?? value.text
    }
}
