import GameCore

extension Evidence {
    /// Everything that must hold at the end of a run, and did not.
    package func breaches() -> [Breach] {
        logBreaches() + replayBreaches() + cardBreaches() + alertBreaches() + pushBreaches() + answerBreaches()
            + ruleBreaches() + trespasses.map { Breach(invariant: 8, finding: $0) }
    }

    /// 1. Every event of an adventure is in the log exactly once, in order, without gaps.
    package func logBreaches() -> [Breach] {
        var findings: [String] = []
        var sequences: [AdventureID: Int] = [:]
        for (shard, log) in logs.sorted(by: { $0.key < $1.key }) {
            for (expected, entry) in zip(Int64(1)..., log.entries) where entry.position != expected {
                findings.append("shard \(shard) has position \(entry.position) in the place of \(expected)")
            }
            if log.head != log.entries.last?.position ?? 0 {
                findings.append("shard \(shard) ends at \(log.entries.last?.position ?? 0), its head is \(log.head)")
            }
            for entry in log.entries {
                guard let sequence = entry.sequence else { continue }
                let expected = sequences[entry.adventureID, default: 0] + 1
                if sequence != expected {
                    findings.append("\(entry.adventureID) has event \(sequence) in the place of \(expected)")
                }
                sequences[entry.adventureID] = sequence
            }
        }
        for (id, story) in stories.sorted(by: { $0.key < $1.key }) where story.newest.sequence != sequences[id] ?? 0 {
            findings.append("\(id) has \(story.newest.sequence) events, and \(sequences[id] ?? 0) in the log")
        }
        return findings.map { Breach(invariant: 1, finding: $0) }
    }

    /// 2. Replaying an adventure from its seed and commands gives the same events.
    package func replayBreaches() -> [Breach] {
        stories.sorted { $0.key < $1.key }.compactMap { id, story in
            let verdict = Adventure.checkReplay(
                of: story.opening,
                inputs: story.inputs,
                log: story.happenings.map { ($0.sequence, $0.event) },
                stored: story.newest
            )
            return verdict == .same ? nil : Breach(invariant: 2, finding: "\(id) replays otherwise: \(verdict)")
        }
    }

    /// 6. A command answered with success is applied exactly once, however often it is sent again.
    package func answerBreaches() -> [Breach] {
        var findings: [String] = []
        for answer in answers {
            guard let kept = stories[answer.adventureID]?.keptAnswers[answer.key] else {
                findings.append("\(answer.key) was answered, and its answer not kept")
                continue
            }
            if kept != answer.body {
                findings.append("\(answer.key) was answered with \(answer.body) and with \(kept)")
            }
        }
        for (id, story) in stories.sorted(by: { $0.key < $1.key }) {
            let applied = story.inputs.count { if case .command = $0.input { true } else { false } }
            if applied != story.keptAnswers.count {
                findings.append("\(id) had \(applied) commands, and \(story.keptAnswers.count) answers")
            }
        }
        return findings.map { Breach(invariant: 6, finding: $0) }
    }

    /// 7. Party capacity, potion counts and turn order hold under concurrent requests.
    package func ruleBreaches() -> [Breach] {
        var findings = violations
        for (id, story) in stories.sorted(by: { $0.key < $1.key }) {
            if story.newest.heroes.contains(where: { $0.potions < 0 }) {
                findings.append("a hero of \(id) has used more potions than it had")
            }
            var turn: Seat?
            for happening in story.happenings {
                switch happening.event {
                case .turnStarted(_, let hero):
                    turn = hero
                case .actionTaken(let hero, _, _):
                    if hero != turn {
                        findings.append("hero \(hero.rawValue) of \(id) acted at \(happening.sequence), out of turn")
                    }
                    turn = nil
                default:
                    break
                }
            }
        }
        return findings.map { Breach(invariant: 7, finding: $0) }
    }
}
