import CommandLineSupport
import GameCore
import RangersClient

extension BossList: TableRepresentable {
    var table: Table {
        Table(
            [
                .whole("BOSS"), .whole("NAME"), .init("HEALTH A HERO", isNumber: true),
                .init("ATTACK", isNumber: true), .init("SPEED", isNumber: true),
            ],
            rows: bosses.map {
                [$0.id.rawValue, "\($0.avatar) \($0.name)", "\($0.healthPerHero)", "\($0.attack)", "\($0.speed)"]
            }
        )
    }
}
