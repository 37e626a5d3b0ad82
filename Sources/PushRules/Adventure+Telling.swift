import GameCore

extension Adventure {
    /// The name that sentences give the hero of a seat.
    func heroName(at seat: Seat) -> String { heroes[seat.rawValue].id.name }
}
