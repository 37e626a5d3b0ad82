import GameCore

extension RunHistory {
    /// Returns every violation of an invariant.
    package func violations() -> [InvariantViolation] { checks().flatMap(\.violations) }

    /// Checks all invariants, in their order.
    package func checks() -> [InvariantCheck] {
        [
            checkLogs(), checkReplays(), checkShownStates(), checkAlerts(), checkPushes(), checkResponses(),
            checkRules(), checkMembership(),
        ]
    }

    /// Checks invariant 1: every event of an adventure is in the log exactly once, in order, without gaps.
    package func checkLogs() -> InvariantCheck {
        var check = InvariantCheck(of: 1)
        check.findings = unreadable
        var sequences: [AdventureID: Int] = [:]
        for (shard, log) in logs.sorted(by: { $0.key < $1.key }) {
            check.checkedCount += log.entries.count
            check.findings += log.positionErrors.map { "shard \(shard) \($0)" }
            for entry in log.entries where !prunedAdventures.contains(entry.adventureID) {
                guard let sequence = entry.sequence else { continue }
                let expected = sequences[entry.adventureID, default: 0] + 1
                if sequence != expected {
                    check.findings.append("\(entry.adventureID) has event \(sequence) instead of \(expected)")
                }
                sequences[entry.adventureID] = sequence
            }
        }
        for (id, adventure) in sortedAdventures where adventure.newest.sequence != sequences[id] ?? 0 {
            check.findings.append(
                "\(id) is at sequence \(adventure.newest.sequence), but its log ends at \(sequences[id] ?? 0)"
            )
        }
        return check
    }

    /// Checks invariant 2: replaying an adventure from its seed and inputs gives the same events.
    package func checkReplays() -> InvariantCheck {
        var check = InvariantCheck(of: 2)
        for (id, adventure) in sortedAdventures {
            let verdict = Adventure.checkReplay(
                of: adventure.opening,
                inputs: adventure.inputs,
                log: adventure.events.map { ($0.sequence, $0.event) },
                stored: adventure.newest
            )
            check.checkedCount += 1
            if verdict != .same { check.findings.append("the replay of \(id) differs: \(verdict)") }
        }
        return check
    }

    /// Checks invariant 6: a command with a successful response is applied exactly once, however often it is repeated.
    package func checkResponses() -> InvariantCheck {
        var check = InvariantCheck(of: 6)
        let excluded = prunedAdventures.union(adventuresWithoutResponses)
        for response in responses where !excluded.contains(response.adventureID) {
            check.checkedCount += 1
            guard let stored = adventures[response.adventureID]?.storedResponses[response.key] else {
                check.findings.append("\(response.key) got a response that is not stored")
                continue
            }
            if stored != response.body {
                check.findings.append("\(response.key) got the response \(response.body), but \(stored) is stored")
            }
        }
        for (id, adventure) in sortedAdventures where !excluded.contains(id) {
            let applied = adventure.inputs.count { if case .command = $0.input { true } else { false } }
            if applied != adventure.storedResponses.count {
                check.findings.append(
                    "\(id) has \(applied) commands, but \(adventure.storedResponses.count) stored responses"
                )
            }
        }
        return check
    }

    /// Checks invariant 7: party capacity, potion counts and turn order hold under concurrent requests.
    package func checkRules() -> InvariantCheck {
        var check = InvariantCheck(of: 7)
        check.findings = constraintViolations
        for (id, adventure) in sortedAdventures {
            check.checkedCount += adventure.newest.heroes.count
            if adventure.newest.heroes.contains(where: { $0.potions < 0 }) {
                check.findings.append("a hero of \(id) has used more potions than it had")
            }
            var turn: Seat?
            for logged in adventure.events {
                switch logged.event {
                case .turnStarted(_, let hero):
                    turn = hero
                case .actionTaken(let hero, _, _):
                    check.checkedCount += 1
                    if hero != turn {
                        check.findings.append("hero \(hero.rawValue) of \(id) acted out of turn at \(logged.sequence)")
                    }
                    turn = nil
                default:
                    break
                }
            }
        }
        return check
    }

    /// Checks invariant 8: no one reads or changes a party that they are not a member of.
    package func checkMembership() -> InvariantCheck {
        var check = InvariantCheck(of: 8)
        check.checkedCount = unauthorizedAttempts
        check.findings = unauthorizedSuccesses
        for (id, adventure) in sortedAdventures {
            for (sequence, input) in adventure.inputs {
                guard case .command(_, let player) = input else { continue }
                check.checkedCount += 1
                if !adventure.newest.heroes.contains(where: { $0.playerID == player }) {
                    check.findings.append("\(player) has no hero in \(id), but gave a command after \(sequence)")
                }
            }
        }
        for (reference, activity) in sortedActivities {
            guard let adventure = adventures[reference.adventureID] else { continue }
            check.checkedCount += 1
            if !adventure.newest.heroes.contains(where: { $0.playerID == activity.record.playerID }) {
                check.findings.append("\(reference) belongs to \(activity.record.playerID), who has no hero there")
            }
        }
        return check
    }

    /// The adventures in the order of their identifiers, so that findings have a stable order.
    private var sortedAdventures: [(key: AdventureID, value: AdventureHistory)] {
        adventures.sorted { $0.key < $1.key }
    }

    /// The activities in the order of their references, so that findings have a stable order.
    var sortedActivities: [(key: ActivityReference, value: ActivityHistory)] { activities.sorted { $0.key < $1.key } }
}

extension RunHistory.ShardLog {
    /// The gaps, repetitions and inversions of positions.
    fileprivate var positionErrors: [String] {
        var errors: [String] = []
        var last: Int64 = 0
        for entry in entries {
            if isPruned ? entry.position <= last : entry.position != last + 1 {
                errors.append("has position \(entry.position) after \(last)")
            }
            last = entry.position
        }
        if isPruned ? head < last : head != last { errors.append("ends at \(last), but its head is \(head)") }
        return errors
    }
}
