import LiveActivityContent

typealias ContentState = AdventureAttributes.ContentState

extension ContentState {
    /// A boss fight with all optional values.
    static let bossFight = ContentState(
        heroes: [
            AdventureAttributes.HeroState(avatar: "🐳", name: "Spouty", healthLevel: 0.625, isDown: false),
            AdventureAttributes.HeroState(avatar: "🦊", name: "Ember", healthLevel: 0, isDown: true),
        ],
        boss: AdventureAttributes.BossState(avatar: "🐉", name: "Smoulder", healthLevel: 0.431, phase: "windingUp"),
        turn: AdventureAttributes.TurnState(number: 7, heroIndex: 0, endsEpochSeconds: 1_790_000_020),
        event: LocalizableText(key: "The boss hit %1$@ for %2$@.", args: ["Ember", "12"]),
        tick: 6,
        sequence: 31,
        outcome: nil,
        currentHealthLevel: 0.625
    )

    /// A journey that is over, without boss and turn.
    static let journeyCompleted = ContentState(
        heroes: [AdventureAttributes.HeroState(avatar: "🐳", name: "Spouty", healthLevel: 1, isDown: false)],
        boss: nil,
        turn: nil,
        event: LocalizableText(key: "The journey is completed!"),
        tick: 30,
        sequence: 64,
        outcome: "completed",
        currentHealthLevel: 1
    )

    /// Returns a random state, with all kinds of characters in its texts, and with or without each optional value.
    static func random(using generator: inout some RandomNumberGenerator) -> ContentState {
        func text() -> String {
            let pieces = [
                "\"", "\\", "/", "\n", "\u{0}", "\u{1f}", "\u{7f}", "\u{2028}", "é", "한", "👨‍👩‍👧‍👦", "a", "%@", "ß",
            ]
            return (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
        }
        func level() -> Double {
            [0, 1, 0.001, 1e-7, 1.0 / 3, Double.random(in: 0...1, using: &generator)].randomElement(using: &generator)
                ?? 0
        }
        func number() -> Int { Int.random(in: 0...100_000, using: &generator) }
        func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &generator) ? value : nil }
        return ContentState(
            heroes: (0..<Int.random(in: 1...8, using: &generator)).map { _ in
                AdventureAttributes.HeroState(
                    avatar: text(),
                    name: text(),
                    healthLevel: level(),
                    isDown: Bool.random(using: &generator)
                )
            },
            boss: maybe(
                AdventureAttributes.BossState(avatar: text(), name: text(), healthLevel: level(), phase: maybe(text()))
            ),
            turn: maybe(
                AdventureAttributes.TurnState(
                    number: number(),
                    heroIndex: maybe(number()),
                    endsEpochSeconds: maybe(Int64.random(in: 0...Int64.max, using: &generator))
                )
            ),
            event: LocalizableText(key: text(), args: maybe([text(), text()]) ?? []),
            tick: number(),
            sequence: number(),
            outcome: maybe(text()),
            currentHealthLevel: level()
        )
    }
}

/// SplitMix64, so that a failing case is reproducible.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
