import GameCore
import HTTPServing

/// The body of `POST …/adventures`: `{kind: "journey", region}`.
struct NewJourneyBody: RequestFields {
    let region: RegionID

    init?(_ fields: inout Fields) {
        // Only operators start boss fights.
        let kind = fields.required("kind", FieldReader<String>.one(of: ["journey"]) { $0 == "journey" ? $0 : nil })
        let region = fields.required("region", FieldReader<RegionID>.entry(of: RegionCatalogue.self))
        guard kind != nil, let region else { return nil }
        self.region = region
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
