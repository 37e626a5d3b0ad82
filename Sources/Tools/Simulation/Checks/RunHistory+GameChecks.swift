import Encodings
import GameCore
import GameLog
import GameStore

extension RunHistory {
    /// Returns every violation of an invariant.
    package func violations() -> [InvariantViolation] { checks().flatMap(\.violations) }

    /// Checks all invariants, in their order; that of raids only if there are any.
    package func checks() -> [InvariantCheck] {
        [
            checkLogs(), checkReplays(), checkShownStates(), checkAlerts(), checkPushes(), checkResponses(),
            checkRules(), checkMembership(),
        ] + (raids.isEmpty ? [] : [checkRaids()])
    }

    /// Checks invariant 1: the log has no gaps, its moments follow the clock of the shard, and the clock never goes
    /// back.
    package func checkLogs() -> InvariantCheck {
        var check = InvariantCheck(of: 1)
        check.findings = unreadable
        for (shard, log) in logs.sorted(by: { $0.key < $1.key }) {
            check.checkedCount += log.entries.count
            check.findings += (log.positionErrors + log.clockErrors).map { "shard \(shard): \($0)" }
        }
        for (id, adventure) in sortedAdventures {
            check.findings += burstErrors(in: adventure, log: logs[Int16(id.shard.rawValue)]).map { "\(id) \($0)" }
        }
        return check
    }

    /// Returns the clock moves that played ticks of a longer time than the clock may be late without an outage.
    private func burstErrors(in adventure: AdventureHistory, log: ShardLog?) -> [String] {
        guard let log, !log.clockMoves.isEmpty else { return [] }
        let moves = Dictionary(grouping: adventure.events) { log.commitTime(of: $0.at) }.sorted { $0.key < $1.key }
        return moves.compactMap { _, events in
            guard let first = events.first, let last = events.last, last.at - first.at > Self.maxClockLag else {
                return nil
            }
            return "has events \(first.sequence) to \(last.sequence) at once"
        }
    }

    /// The age of a clock from which the time since is an outage, during which the games stand still.
    private static let maxClockLag = Duration.seconds(2)

    /// Checks invariant 2: every node derives the same events and states from an opening and its inputs, and nothing
    /// that a client was shown is taken back.
    package func checkReplays() -> InvariantCheck {
        var check = InvariantCheck(of: 2)
        check.findings = unplayable
        for (id, adventure) in sortedAdventures {
            check.checkedCount += 1
            if let gap = zip(adventure.events, 1...).first(where: { $0.sequence != $1 }) {
                check.findings.append("\(id) has event \(gap.0.sequence) instead of \(gap.1)")
            }
            if adventure.newest.sequence != adventure.events.count {
                check.findings.append(
                    "\(id) is at sequence \(adventure.newest.sequence), but has \(adventure.events.count) events"
                )
            }
            guard let course = adventure.course else { continue }
            do throws(ReplayError) {
                let outages = (outages[Int16(id.shard.rawValue)] ?? []).filter { $0.at >= course.startedAt }
                let decisions = (raidEntries[Int16(id.shard.rawValue)] ?? []).filter { $0.at >= course.startedAt }
                let entries = (adventure.inputs + outages + decisions).sorted { $0.position < $1.position }
                let replay = try Replay(of: course, entries, in: id)
                check.checkedCount += adventure.shown.events.count + adventure.shown.states.count
                check.findings += replay.differences(from: adventure).map { "\(id) \($0)" }
            } catch {
                check.findings.append("\(id) cannot be replayed: \(error.reason)")
            }
        }
        return check
    }

    /// Checks invariant 6: a command with a successful response is applied exactly once, however often it is repeated, and
    /// so is what an ended adventure brought each of its players.
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
            let applied = adventure.inputs.count { if case .input(.command) = $0.content { true } else { false } }
            if applied != adventure.storedResponses.count {
                check.findings.append(
                    "\(id) has \(applied) commands, but \(adventure.storedResponses.count) stored responses"
                )
            }
        }
        checkProgress(&check)
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
            for stored in adventure.events {
                switch stored.event {
                case .turnStarted(_, let hero):
                    turn = hero
                case .actionTaken(let hero, _, _):
                    check.checkedCount += 1
                    if hero != turn {
                        check.findings.append("hero \(hero.rawValue) of \(id) acted out of turn at \(stored.sequence)")
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
            for input in adventure.inputs {
                guard case .input(.command(_, let player)) = input.content else { continue }
                check.checkedCount += 1
                if !adventure.newest.heroes.contains(where: { $0.playerID == player }) {
                    check.findings.append(
                        "\(player) has no hero in \(id), but gave a command at position \(input.position)"
                    )
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
    var sortedAdventures: [(key: AdventureID, value: AdventureHistory)] {
        adventures.sorted { $0.key < $1.key }
    }

    /// The activities in the order of their references, so that findings have a stable order.
    var sortedActivities: [(key: ActivityReference, value: ActivityHistory)] { activities.sorted { $0.key < $1.key } }
}

/// A reason why the log cannot have led to an adventure's course.
private struct ReplayError: Error {
    let reason: String
}

/// An adventure's course, derived from the log without the store.
private struct Replay {
    private(set) var events: [String] = []
    private(set) var states: Set<String> = []
    private var timeline: Timeline
    private var buffer: [AdventureEvent] = []

    /// Plays the inputs and outages of the log, in its order.
    init(of course: RunHistory.Course, _ entries: [LogEntry], in id: AdventureID) throws(ReplayError) {
        timeline = Timeline(
            starting: course.opening,
            of: id,
            at: course.startedAt,
            interval: course.interval,
            appendingTo: &buffer
        )
        record(at: course.startedAt)
        for entry in entries {
            play(to: entry.at)
            switch entry.content {
            case .outage(let duration): timeline.postpone(by: duration)
            case .input(let input): try take(input, of: entry)
            case .raid(let raid, let decision): try take(decision, about: raid, of: entry)
            default: break
            }
        }
        play(to: course.clock)
    }

    private mutating func play(to moment: Timestamp) {
        while let tickAt = timeline.playTick(dueBy: moment, appendingTo: &buffer) { record(at: tickAt) }
    }

    /// Takes a decision, unless it is about another raid or the fight began with it.
    private mutating func take(_ decision: RaidDecision, about id: RaidID, of entry: LogEntry) throws(ReplayError) {
        guard let raid = timeline.adventure.raid, raid.raidID == id, raid.decision < decision.number,
            timeline.nextTickAt != nil
        else { return }
        try take(.raid(decision), of: entry)
    }

    private mutating func take(_ input: AdventureInput, of entry: LogEntry) throws(ReplayError) {
        guard entry.at >= timeline.newestEventAt else {
            throw ReplayError(reason: "the input at position \(entry.position) is earlier than the newest event")
        }
        do throws(AdventureRefusal) {
            try timeline.take(input, at: entry.at, appendingTo: &buffer)
        } catch {
            throw ReplayError(reason: "the input at position \(entry.position) is refused: \(error.slug)")
        }
        record(at: entry.at)
    }

    private mutating func record(at moment: Timestamp) {
        for event in buffer {
            let (sequence, tick) = (events.count + 1, timeline.adventure.tick)
            events.append(ShownAdventure.text(of: .init(sequence: sequence, tick: tick, at: moment, event: event)))
        }
        buffer.removeAll(keepingCapacity: true)
        states.insert(timeline.adventure.encoded)
    }

    /// Returns in which way an adventure as the service derives it, or as clients were shown it, differs.
    func differences(from adventure: RunHistory.AdventureHistory) -> [String] {
        var differences: [String] = []
        let derived = adventure.events.map(ShownAdventure.text(of:))
        if let (mine, other) = zip(events, derived).first(where: { $0 != $1 }) {
            differences.append("has the event '\(other)' instead of '\(mine)'")
        } else if derived.count != events.count {
            differences.append("has \(derived.count) events instead of \(events.count)")
        }
        if adventure.newest != timeline.adventure { differences.append("has another state") }
        let takenBack = adventure.shown.events.subtracting(events).sorted()
        differences += takenBack.prefix(1).map { "does not have the event '\($0)', which was shown" }
        let lost = adventure.shown.states.subtracting(states).sorted()
        differences += lost.prefix(1).map { "was never in the state '\($0)', which was shown" }
        return differences
    }
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

    /// The clocks that go back, and the entries whose moments do not follow the clock.
    fileprivate var clockErrors: [String] {
        var errors: [String] = []
        for (entry, next) in zip(entries, entries.dropFirst()) where next.at < entry.at {
            errors.append("position \(next.position) is earlier than the entry before")
        }
        for (move, next) in zip(clockMoves, clockMoves.dropFirst()) {
            let (clock, nextClock) = (Timestamp(microseconds: move.clock), Timestamp(microseconds: next.clock))
            if nextClock <= clock { errors.append("the clock goes back from \(clock) to \(nextClock)") }
            let start = entries.firstIndex(inSortedOrderWhere: { $0.position > move.head })
            for entry in entries[start...].prefix(while: { $0.position <= next.head }) {
                // An outage begins when the clock was moved last.
                let isOutage = if case .outage = entry.content { true } else { false }
                if isOutage ? entry.at != clock : entry.at <= clock {
                    errors.append("position \(entry.position) is not later than the clock")
                } else if entry.at > nextClock {
                    errors.append("position \(entry.position) is later than the clock")
                }
            }
        }
        return errors
    }
}
