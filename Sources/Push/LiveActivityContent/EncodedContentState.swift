import JSONCoding

/// A content state as JSON, made once for all members of a party.
///
/// Members' states differ in ``AdventureAttributes/ContentState/currentHealthLevel`` alone, so the rest is encoded
/// once per adventure and position and that one number is put in per activity. The bytes are those of a `JSONEncoder`
/// with `.sortedKeys` and `.withoutEscapingSlashes`.
public struct EncodedContentState: Hashable, Sendable {
    /// Up to the health level, which follows immediately.
    private let head: [UInt8]
    /// What comes after the health level.
    private let tail: [UInt8]

    /// Encodes a state; its own `currentHealthLevel` is left out.
    public init(_ state: AdventureAttributes.ContentState) {
        var writer = JSONWriter(reservingCapacity: 1_024)
        var split = 0
        writer.object { writer in
            if let boss = state.boss {
                writer.key("boss")
                writer.value(boss)
            }
            writer.key("currentHealthLevel")
            split = writer.bytes.count
            writer.value(encoded: [])
            writer.key("event")
            writer.value(state.event)
            writer.key("eventDescription")
            writer.value(state.eventDescription)
            writer.key("heroes")
            writer.array(state.heroes) { $0.value($1) }
            if let outcome = state.outcome {
                writer.key("outcome")
                writer.value(outcome)
            }
            writer.key("sequence")
            writer.value(state.sequence)
            writer.key("tick")
            writer.value(state.tick)
            if let turn = state.turn {
                writer.key("turn")
                writer.value(turn)
            }
        }
        head = Array(writer.bytes[..<split])
        tail = Array(writer.bytes[split...])
    }

    /// The JSON of one member's state.
    /// - Parameter currentHealthLevel: the health of that member's own hero, 0…1.
    /// - Returns: the value of `content-state`.
    public func bytes(currentHealthLevel: Double) -> [UInt8] {
        var number = JSONWriter()
        number.value(currentHealthLevel)
        return head + number.bytes + tail
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ text: LocalizableText) {
        object { writer in
            writer.key("args")
            writer.array(text.args) { $0.value($1) }
            writer.key("key")
            writer.value(text.key)
        }
    }

    fileprivate mutating func value(_ hero: AdventureAttributes.HeroState) {
        object { writer in
            writer.key("avatar")
            writer.value(hero.avatar)
            writer.key("healthLevel")
            writer.value(hero.healthLevel)
            writer.key("isDown")
            writer.value(hero.isDown)
            writer.key("name")
            writer.value(hero.name)
        }
    }

    fileprivate mutating func value(_ boss: AdventureAttributes.BossState) {
        object { writer in
            writer.key("avatar")
            writer.value(boss.avatar)
            writer.key("healthLevel")
            writer.value(boss.healthLevel)
            writer.key("name")
            writer.value(boss.name)
            if let phase = boss.phase {
                writer.key("phase")
                writer.value(phase)
            }
        }
    }

    fileprivate mutating func value(_ turn: AdventureAttributes.TurnState) {
        object { writer in
            if let endsEpochSeconds = turn.endsEpochSeconds {
                writer.key("endsEpochSeconds")
                writer.value(endsEpochSeconds)
            }
            if let heroIndex = turn.heroIndex {
                writer.key("heroIndex")
                writer.value(heroIndex)
            }
            writer.key("number")
            writer.value(turn.number)
        }
    }
}
