import GameCore
import HTTPServing

/// The body of `POST …/adventures`: `{kind: "journey", region}` or `{kind: "raid", raidID}`.
enum NewAdventureBody: RequestFields {
    case journey(RegionID)
    case raid(RaidID)

    init?(_ fields: inout Fields) {
        // Only operators start boss fights.
        let kinds = FieldReader<AdventureKind>.one(of: ["journey", "raid"]) { text in
            AdventureKind(rawValue: text).flatMap { $0 == .bossFight ? nil : $0 }
        }
        let region = FieldReader<RegionID>.entry(of: RegionCatalogue.self)
        switch fields.required("kind", kinds) {
        case .raid:
            guard let id = fields.required("raidID", FieldReader<RaidID>.id) else { return nil }
            self = .raid(id)
        case .journey, .bossFight:
            guard let region = fields.required("region", region) else { return nil }
            self = .journey(region)
        case nil:
            // Without a valid kind, the required fields are unknown; those that are present are still validated.
            _ = fields.optional("region", region)
            _ = fields.optional("raidID", FieldReader<RaidID>.id)
            return nil
        }
    }
}

/// The body of `POST …/commands`: `{type, target?, policy?}`.
struct CommandBody: RequestFields {
    let command: Command

    init?(_ fields: inout Fields) {
        let seat = FieldReader<Int>.integer(in: 0...Party.maxCapacity - 1)
        guard let kind = fields.required("type", FieldReader<Command.Kind>.oneOfItsCases) else {
            // Without a valid type, the required fields are unknown; those that are present are still validated.
            _ = fields.optional("target", seat)
            _ = fields.optional("policy", FieldReader<TurnPolicy>.oneOfItsCases)
            return nil
        }
        switch kind {
        case .potion:
            command = .potion(target: fields.optional("target", seat).map(Seat.init(rawValue:)))
        case .revive:
            guard let target = fields.required("target", seat) else { return nil }
            command = .revive(target: Seat(rawValue: target))
        case .policy:
            guard let policy = fields.required("policy", FieldReader<TurnPolicy>.oneOfItsCases) else { return nil }
            command = .policy(policy)
        case .attack: command = .attack
        case .guard: command = .guardUp
        case .special: command = .special
        case .flee: command = .flee
        case .pass: command = .pass
        }
    }
}
