import GameCore

extension Adventure {
    func heroName(at seat: Seat) -> String { heroes[seat.rawValue].id.name }
    var outcome: Outcome? { if case .ended(let o) = status { o } else { nil } }
}
extension HeroID {
    var name: String { rawValue }
    var avatar: String { "x" }
}
extension BossID {
    var name: String { rawValue }
    var avatar: String { "x" }
}
extension PlaceID { var name: String { rawValue } }
extension ItemID { var name: String { rawValue } }
