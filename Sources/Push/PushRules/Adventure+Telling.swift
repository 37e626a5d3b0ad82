import GameCore

extension Adventure {
    /// The name that sentences give the hero of a seat.
    func heroName(at seat: Seat) -> String { heroes[seat.rawValue].id.name }

    /// The name that sentences give the signature move of the hero of a seat.
    func signatureMoveName(at seat: Seat) -> String {
        HeroCatalogue[heroes[seat.rawValue].id]?.signatureMove.name ?? "a signature move"
    }
}
