import GameCore

extension Evidence {
    /// Everything that must hold at the end of a run, and did not.
    package func breaches() -> [Breach] { examinations().flatMap(\.breaches) }

    /// What each of the checks came to, in the order of the invariants.
    package func examinations() -> [Examination] {
        [
            examineLog(), examineReplays(), examineCards(), examineAlerts(), examinePushes(), examineAnswers(),
            examineRules(), examineMembership(),
        ]
    }

    /// 1. Every event of an adventure is in the log exactly once, in order, without gaps.
    package func examineLog() -> Examination {
        var examination = Examination(of: 1)
        var sequences: [AdventureID: Int] = [:]
        for (shard, log) in logs.sorted(by: { $0.key < $1.key }) {
            examination.lookedAt += log.entries.count
            examination.findings += log.misplacements.map { "shard \(shard) \($0)" }
            for entry in log.entries where !forgotten.contains(entry.adventureID) {
                guard let sequence = entry.sequence else { continue }
                let expected = sequences[entry.adventureID, default: 0] + 1
                if sequence != expected {
                    examination.findings.append(
                        "\(entry.adventureID) has event \(sequence) in the place of \(expected)"
                    )
                }
                sequences[entry.adventureID] = sequence
            }
        }
        for (id, story) in stories.sorted(by: { $0.key < $1.key }) where story.newest.sequence != sequences[id] ?? 0 {
            examination.findings.append(
                "\(id) has \(story.newest.sequence) events, and \(sequences[id] ?? 0) in the log"
            )
        }
        return examination
    }

    /// 2. Replaying an adventure from its seed and commands gives the same events.
    package func examineReplays() -> Examination {
        var examination = Examination(of: 2)
        for (id, story) in stories.sorted(by: { $0.key < $1.key }) {
            let verdict = Adventure.checkReplay(
                of: story.opening,
                inputs: story.inputs,
                log: story.happenings.map { ($0.sequence, $0.event) },
                stored: story.newest
            )
            examination.lookedAt += 1
            if verdict != .same { examination.findings.append("\(id) replays otherwise: \(verdict)") }
        }
        return examination
    }

    /// 6. A command answered with success is applied exactly once, however often it is sent again.
    package func examineAnswers() -> Examination {
        var examination = Examination(of: 6)
        let gone = forgotten.union(withoutAnswers)
        for answer in answers where !gone.contains(answer.adventureID) {
            examination.lookedAt += 1
            guard let kept = stories[answer.adventureID]?.keptAnswers[answer.key] else {
                examination.findings.append("\(answer.key) was answered, and its answer not kept")
                continue
            }
            if kept != answer.body {
                examination.findings.append("\(answer.key) was answered with \(answer.body) and with \(kept)")
            }
        }
        for (id, story) in stories.sorted(by: { $0.key < $1.key }) where !gone.contains(id) {
            let applied = story.inputs.count { if case .command = $0.input { true } else { false } }
            if applied != story.keptAnswers.count {
                examination.findings.append("\(id) had \(applied) commands, and \(story.keptAnswers.count) answers")
            }
        }
        return examination
    }

    /// 7. Party capacity, potion counts and turn order hold under concurrent requests.
    package func examineRules() -> Examination {
        var examination = Examination(of: 7)
        examination.findings = violations
        for (id, story) in stories.sorted(by: { $0.key < $1.key }) {
            examination.lookedAt += story.newest.heroes.count
            if story.newest.heroes.contains(where: { $0.potions < 0 }) {
                examination.findings.append("a hero of \(id) has used more potions than it had")
            }
            var turn: Seat?
            for happening in story.happenings {
                switch happening.event {
                case .turnStarted(_, let hero):
                    turn = hero
                case .actionTaken(let hero, _, _):
                    examination.lookedAt += 1
                    if hero != turn {
                        examination.findings.append(
                            "hero \(hero.rawValue) of \(id) acted at \(happening.sequence), out of turn"
                        )
                    }
                    turn = nil
                default:
                    break
                }
            }
        }
        return examination
    }

    /// 8. No one reads or changes a party that they are not a member of.
    package func examineMembership() -> Examination {
        var examination = Examination(of: 8)
        examination.lookedAt = trespassAttempts
        examination.findings = trespasses
        for (id, story) in stories.sorted(by: { $0.key < $1.key }) {
            for (sequence, input) in story.inputs {
                guard case .command(_, let player) = input else { continue }
                examination.lookedAt += 1
                if !story.newest.heroes.contains(where: { $0.playerID == player }) {
                    examination.findings.append("\(player) gave a command in \(id) after \(sequence), without a hero")
                }
            }
        }
        for (name, following) in cards.sorted(by: { $0.key < $1.key }) {
            guard let story = stories[name.adventureID] else { continue }
            examination.lookedAt += 1
            if !story.newest.heroes.contains(where: { $0.playerID == following.record.playerID }) {
                examination.findings.append("\(name) is on the phone of \(following.record.playerID), without a hero")
            }
        }
        return examination
    }
}

extension Evidence.Log {
    /// What is wrong with the positions.
    fileprivate var misplacements: [String] {
        var findings: [String] = []
        var last: Int64 = 0
        for entry in entries {
            if losesEntries ? entry.position <= last : entry.position != last + 1 {
                findings.append("has position \(entry.position) behind \(last)")
            }
            last = entry.position
        }
        if losesEntries ? head < last : head != last { findings.append("ends at \(last), its head is \(head)") }
        return findings
    }
}
