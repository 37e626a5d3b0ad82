public import GameCore

extension Adventure {
    /// Returns the name of the hero at a seat, for sentences.
    func heroName(at seat: Seat) -> String { heroes[seat.rawValue].id.name }

    /// Whether two heroes are the same, so that only the names of their players tell them apart.
    public var hasEqualHeroes: Bool { Set(heroes.map(\.id)).count < heroes.count }

    /// Returns the name of the player of the hero at a seat, for sentences; nil if no other hero is the same, if the player
    /// has left, or if the name is unknown.
    func playerName(at seat: Seat, among names: [PlayerID: String]) -> String? {
        let hero = heroes[seat.rawValue]
        guard !hero.hasLeft, heroes.count(where: { $0.id == hero.id }) > 1 else { return nil }
        return names[hero.playerID]
    }

    /// Returns the name of the signature move of the hero at a seat, for sentences.
    func signatureMoveName(at seat: Seat) -> String {
        HeroCatalogue[heroes[seat.rawValue].id]?.signatureMove.name ?? "a signature move"
    }
}
