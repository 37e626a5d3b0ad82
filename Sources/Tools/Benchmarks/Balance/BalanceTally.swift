import GameCore

/// What came of some adventures.
struct BalanceTally {
    /// How many ticks each took.
    var ticks: [Int] = []
    var wins = 0
    var potionsUsed = 0
    var heroesDown = 0
    var levelsGained = 0

    /// Plays an adventure, whose heroes all act by themselves, to its end.
    mutating func play(_ opening: Adventure) {
        var adventure = opening
        var events: [Event] = []
        advance(&adventure, .start, &events)
        while adventure.status == .running { advance(&adventure, .tick, &events) }
        ticks.append(adventure.tick)
        if adventure.outcome?.isWin == true { wins += 1 }
    }

    private mutating func advance(_ adventure: inout Adventure, _ input: Input, _ events: inout [Event]) {
        events.removeAll(keepingCapacity: true)
        do {
            try adventure.advance(input, appendingTo: &events)
        } catch {
            preconditionFailure("an adventure that is not over refused \(input): \(error)")
        }
        for event in events {
            if case .heroHealed(_, _, .potion) = event { potionsUsed += 1 }
            if case .heroDown = event { heroesDown += 1 }
            if case .heroLevelledUp = event { levelsGained += 1 }
        }
    }
}

extension Outcome {
    fileprivate var isWin: Bool {
        switch self {
        case .completed, .bossDefeated: true
        case .partyWiped, .endedByOperator, .abandoned, .expired: false
        }
    }
}
