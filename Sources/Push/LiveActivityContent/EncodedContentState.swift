import JSONCoding

/// A content state as JSON, encoded once for all members of a party.
///
/// The states of the members differ only in ``AdventureAttributes/ContentState/currentHealthLevel``. The other values
/// are encoded once for each state of the adventure; the health level is inserted for each activity. The bytes equal
/// those of a `JSONEncoder` with `.sortedKeys` and `.withoutEscapingSlashes`.
public struct EncodedContentState: Hashable, Sendable {
    /// The bytes without the health level.
    private let bytes: [UInt8]
    /// The number of bytes before the health level.
    private let split: Int

    /// Encodes a state without its `currentHealthLevel`.
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
        bytes = writer.bytes
        self.split = split
    }

    /// Returns the JSON of one member's state.
    /// - Parameter currentHealthLevel: the health of the member's own hero, 0…1.
    /// - Returns: the value of `content-state`.
    public func bytes(currentHealthLevel: Double) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: bytes.count + 24)
        writer.append(bytes[..<split])
        writer.value(currentHealthLevel)
        writer.append(bytes[split...])
        return writer.bytes
    }
}

extension JSONWriter {
    mutating func value(_ text: LocalizableText) {
        object { writer in
            writer.key("args")
            writer.array(text.args) { $0.value($1) }
            writer.key("key")
            writer.value(text.key)
        }
    }

    mutating func value(_ hero: AdventureAttributes.HeroState) {
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

    mutating func value(_ boss: AdventureAttributes.BossState) {
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
