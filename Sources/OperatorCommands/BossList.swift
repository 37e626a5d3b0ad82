/// The answer to `GET /admin/v1/bosses`.
struct BossList: Answer {
    struct Boss: Decodable {
        let id: String
        let name: String
        let avatar: String
        let health: Int
        let attack: Int
        let speed: Int
    }

    let bosses: [Boss]

    func lines(fitting width: Int?) -> [String] {
        Table(
            [
                .init(title: "BOSS"), .init(title: "NAME"), .init(title: "HEALTH", isNumber: true),
                .init(title: "ATTACK", isNumber: true), .init(title: "SPEED", isNumber: true),
            ],
            rows: bosses.map { [$0.id, "\($0.avatar) \($0.name)", "\($0.health)", "\($0.attack)", "\($0.speed)"] }
        ).lines(fitting: width)
    }
}
