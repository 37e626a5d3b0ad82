import GameCore

extension Adventure {
    /// Returns the name of the hero at a seat, for sentences.
    func heroName(at seat: Seat) -> String { heroes[seat.rawValue].id.name }

    /// Returns the name of the signature move of the hero at a seat, for sentences.
    func signatureMoveName(at seat: Seat) -> String {
        HeroCatalogue[heroes[seat.rawValue].id]?.signatureMove.name ?? "a signature move"
    }
}
