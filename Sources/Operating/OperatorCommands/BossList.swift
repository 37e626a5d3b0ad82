import CommandLineSupport

/// The answer to `GET /admin/v1/bosses`.
struct BossList: TableAnswer {
    struct Boss: Decodable {
        let id: String
        let name: String
        let avatar: String
        let healthPerHero: Int
        let attack: Int
        let speed: Int
    }

    let bosses: [Boss]

    var table: Table {
        Table(
            [
                .whole("BOSS"), .whole("NAME"), .init("HEALTH A HERO", isNumber: true),
                .init("ATTACK", isNumber: true), .init("SPEED", isNumber: true),
            ],
            rows: bosses.map {
                [$0.id, "\($0.avatar) \($0.name)", "\($0.healthPerHero)", "\($0.attack)", "\($0.speed)"]
            }
        )
    }
}
