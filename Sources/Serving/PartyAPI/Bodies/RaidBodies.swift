import Encodings
import GameCore
import HTTPServing
import JSONCoding

/// The body of `POST /admin/v1/raids`: `{boss, health, durationSeconds, startsAt?, regions?}`.
struct NewRaidBody: RequestFields {
    /// More than a million parties deal in a week.
    static let health = 1...1_000_000_000_000
    /// Up to a week.
    static let durationSeconds = 10...Int(RaidSchedule.maxDuration / .seconds(1))

    let boss: BossID
    let health: Int
    let duration: Duration
    let startsAt: Timestamp?
    /// The regions in which the boss rages, in the order of the catalogue; all of them by default.
    let regions: [RegionID]

    init?(_ fields: inout Fields) {
        let boss = fields.required("boss", FieldReader<BossID>.entry(of: BossCatalogue.self))
        let health = fields.required("health", .integer(in: Self.health))
        let seconds = fields.required("durationSeconds", .integer(in: Self.durationSeconds))
        startsAt = fields.optional("startsAt", .timestamp)
        regions = fields.optional("regions", .regions) ?? RegionCatalogue.all.map(\.id)
        guard let boss, let health, let seconds else { return nil }
        (self.boss, self.health, duration) = (boss, health, .seconds(seconds))
    }
}

extension FieldReader where Value == [RegionID] {
    /// A reader of lists of at least one region.
    fileprivate static var regions: Self {
        Self { value in
            let all = RegionCatalogue.all.map(\.id)
            guard case .array(let elements) = value, !elements.isEmpty,
                elements.allSatisfy({ element in all.contains { element == .string($0.rawValue) } })
            else {
                let words = all.map(\.rawValue).joined(separator: ", ")
                return .failure(InvalidValue(reason: "must be a list of regions among \(words)"))
            }
            return .success(all.filter { elements.contains(.string($0.rawValue)) })
        }
    }
}
