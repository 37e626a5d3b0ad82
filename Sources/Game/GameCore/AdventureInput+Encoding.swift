// The stored form of an input: a line of words and numbers. Examples:
//
//     command 01932a5c-77e0-7c41-9b0e-5d2f8a61c3e4 potion 1
//     join 01932a5d-04b8-7e92-8c36-e1a7904fd52b boulder experience 40 potions 2
//     leave 01932a5d-04b8-7e92-8c36-e1a7904fd52b
//     end
//     raid 4 round 61 until 1790000062000000 health 812/4000 phase 2 parties 30 dealt 3188

extension AdventureInput {
    /// The stored form, one line; nil for starts and ticks, which follow from the rest.
    public var encoded: String? {
        var writer = AdventureWriter(capacity: 80)
        switch self {
        case .start, .tick:
            return nil
        case .command(let command, let player):
            writer.line("command")
            writer.word(player.description)
            command.write(to: &writer)
        case .join(let hero):
            writer.line("join")
            writer.word(hero.playerID.description)
            writer.word(hero.id.rawValue)
            writer.field("experience", hero.experience)
            writer.field("potions", hero.potions)
        case .leave(let player):
            writer.line("leave")
            writer.word(player.description)
        case .end:
            writer.line("end")
        case .raid(let decision):
            writer.line("raid")
            decision.write(to: &writer)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Decodes the stored form.
    /// - Throws: ``AdventureDecodingError`` with the position of the first word that does not belong there.
    public init(encoded: some StringProtocol) throws(AdventureDecodingError) {
        var reader = AdventureReader(String(encoded))
        if reader.accept("command") {
            let player: PlayerID = try reader.id()
            self = .command(try Command(from: &reader), by: player)
        } else if reader.accept("join") {
            let player: PlayerID = try reader.id()
            let hero = HeroID(rawValue: try reader.word())
            guard HeroCatalogue[hero] != nil else { throw reader.error("the catalogue has no hero '\(hero)'") }
            try reader.expect("experience")
            let experience = try reader.number()
            try reader.expect("potions")
            self = .join(Hero(playerID: player, id: hero, experience: experience, potions: try reader.number()))
        } else if reader.accept("leave") {
            self = .leave(try reader.id())
        } else if reader.accept("raid") {
            self = .raid(try RaidDecision(from: &reader))
        } else {
            try reader.expect("end")
            self = .end
        }
        guard reader.isAtEnd else { throw reader.error("expected the end of the input") }
    }
}

extension Command {
    fileprivate func write(to writer: inout AdventureWriter) {
        writer.word(kind.rawValue)
        switch self {
        case .potion(let target): if let target { writer.number(target.rawValue) }
        case .revive(let target): writer.number(target.rawValue)
        case .policy(let policy): writer.word(policy.rawValue)
        case .attack, .guardUp, .special, .flee, .pass: break
        }
    }

    fileprivate init(from reader: inout AdventureReader) throws(AdventureDecodingError) {
        func seat() throws(AdventureDecodingError) -> Seat {
            let number = try reader.number()
            guard number < Adventure.maxHeroes else { throw reader.error("\(number) is no seat") }
            return Seat(rawValue: number)
        }
        switch try reader.value(Kind.self) {
        case .potion: self = .potion(target: reader.isAtEnd ? nil : try seat())
        case .attack: self = .attack
        case .guard: self = .guardUp
        case .special: self = .special
        case .revive: self = .revive(target: try seat())
        case .flee: self = .flee
        case .pass: self = .pass
        case .policy: self = .policy(try reader.value())
        }
    }
}
