import Foundation
import GameCore
import LiveActivityContent
import PushRules

extension Evidence {
    /// By then what a dispatcher was told is written down, unless something goes wrong: it writes every second, and a slow
    /// database takes some seconds more.
    private static let checkpointInterval: Int64 = 10_000_000
    /// A fifth of the 5 s that a run's leases last: how long before its end nobody sends by a lease.
    private static let quietEndOfLease: Int64 = 1_000_000

    /// 3. Once faults stop, every live activity shows the newest state, and every ended adventure's activities have
    /// received `end` with the final state.
    package func examineCards() -> Examination {
        var examination = Examination(of: 3)
        for (name, following) in cards.sorted(by: { $0.key < $1.key }) {
            // Who has let go of a card need not be told any more; who had its end before, has let go because of that.
            guard let story = stories[name.adventureID], let seat = seat(of: following, in: story),
                following.releasedAt == nil || following.card.hasEnded, !following.record.isAbandoned
            else { continue }
            examination.lookedAt += 1
            let isOver = story.newest.outcome != nil
            // Who has left was told the end then, with the state of that time.
            guard !story.newest.heroes[seat.rawValue].hasLeft else {
                if !following.card.hasEnded {
                    examination.findings.append("\(name) has no end, and its player has left")
                }
                continue
            }
            if following.card.hasEnded != isOver {
                examination.findings.append(
                    "\(name) has \(isOver ? "no end, and its adventure is over" : "an end too early")"
                )
            } else if following.card.payload.map({ !$0.contains(story.contentState(for: seat)) }) ?? true {
                examination.findings.append(
                    "\(name) does not show the newest state, of sequence \(story.newest.sequence)"
                )
            }
        }
        return examination
    }

    /// 4. Every alert that the rules did not cancel reached APNs at least once; duplicates only within one checkpoint
    /// interval of a crash.
    package func examineAlerts() -> Examination {
        var examination = Examination(of: 4)
        let accepted = Dictionary(
            grouping: pushes.filter { $0.fate == .accepted && $0.activity != nil },
            by: \.activity
        )
        for (name, following) in cards.sorted(by: { $0.key < $1.key }) {
            guard let story = stories[name.adventureID], let seat = seat(of: following, in: story) else { continue }
            let pushes = accepted[name] ?? []
            for owed in owedAlerts(to: following, at: seat, in: story) {
                examination.lookedAt += 1
                let isTold = pushes.contains { push in
                    push.writtenAt >= owed.committedAt && push.payload.contains(owed.mark)
                }
                if !isTold {
                    examination.findings.append(
                        "\(name) was not told of event \(owed.sequence) (position \(owed.position))"
                    )
                }
            }
            var known: [UUID: PushRecord] = [:]
            for push in pushes where push.payload.contains(PushRecord.alertMark) {
                examination.lookedAt += 1
                if let first = known[push.id] {
                    if isKnown(first, to: push) {
                        examination.findings.append("\(name) got alert \(push.id) twice, and nothing had gone wrong")
                    } else if isWrittenDown(first, of: name, at: seat, in: story, before: push) {
                        examination.findings.append(
                            "\(name) got alert \(push.id) twice, and it was written down that it had it"
                        )
                    }
                }
                known[push.id] = push
            }
        }
        return examination
    }

    /// 5. Per activity, timestamps strictly grow; no push follows `end`; no push uses a dead token.
    ///
    /// What a node was told and could not write down before something went wrong, the next one cannot know.
    package func examinePushes() -> Examination {
        var examination = Examination(of: 5)
        var newest: [ActivityName: PushRecord] = [:]
        var ends: [ActivityName: PushRecord] = [:]
        var dead: [String: [PushRecord]] = [:]
        for push in pushes {
            examination.lookedAt += 1
            guard let name = push.activity else {
                examination.findings.append("push \(push.id) went to a token that never was one")
                continue
            }
            if let before = newest[name], push.timestamp <= before.timestamp, !push.isOnTheWayAgain(after: before),
                !isByAnotherClock(push, after: before, to: name)
            {
                examination.findings.append(
                    "\(name) got timestamp \(push.timestamp) after \(before.timestamp): push \(push.id)"
                )
            }
            newest[name] = push
            // An end that is sent again is recognised by its identifier.
            if let end = ends[name], end.token == push.token, end.id != push.id, isKnown(end, to: push) {
                examination.findings.append("\(name) got push \(push.id) after its end")
            }
            // One refusal may be older than the token, which gets one more try then; so it does each time that it is
            // registered anew, as by a request that was held up.
            let registered = cards[name]?.registrations.last { $0 <= push.writtenAt } ?? .min
            if dead[push.token, default: []].count(where: { $0.writtenAt >= registered && isKnown($0, to: push) }) > 1 {
                examination.findings.append("\(name) got push \(push.id) to a token that was found dead")
            }
            if let closedAt = closedTokens[push.token], push.writtenAt > closedAt {
                examination.findings.append(
                    "\(name) got push \(push.id), and it was written down that nothing goes to its token"
                )
            }
            if push.isEnd, push.fate == .accepted { ends[name] = push }
            if push.fate == .deadToken { dead[push.token, default: []].append(push) }
        }
        return examination
    }

    /// Whether who sends a push goes by a clock that is behind another's, and could not know of the timestamp that the other
    /// took and did not write down.
    ///
    /// For the last fifth of a lease nobody sends by it; timestamps are whole seconds.
    private func isByAnotherClock(_ push: PushRecord, after before: PushRecord, to name: ActivityName) -> Bool {
        push.node != before.node && push.clockError < before.clockError
            && push.writtenAt - before.writtenAt >= Self.quietEndOfLease
            && !(notes[name] ?? []).contains {
                $0.committedAt < push.writtenAt && $0.lastTimestamp >= before.timestamp
            }
    }

    /// Whether the sender of a push must have known what became of an earlier one: it was told, and had the time to write
    /// it down.
    private func isKnown(_ earlier: PushRecord, to push: PushRecord) -> Bool {
        guard let toldAt = earlier.toldAt, toldAt < push.writtenAt else { return false }
        return !isDisturbed(toldAt...min(push.writtenAt, toldAt + Self.checkpointInterval))
    }

    /// Whether a dispatcher had written down, before a push, that an earlier alert is no more owed: whoever sends since knows it,
    /// whatever goes wrong.
    private func isWrittenDown(
        _ earlier: PushRecord,
        of name: ActivityName,
        at seat: Seat,
        in story: Story,
        before push: PushRecord
    ) -> Bool {
        let told = story.happenings.last { happening in
            guard happening.committedAt <= earlier.writtenAt,
                let alert = PushRules.rule(for: happening.event, after: story.newest, receiver: seat).alert
            else { return false }
            return earlier.payload.contains(alert.mark(in: story.newest))
        }
        guard let told else { return false }
        // What was owed to a token that died is settled, and owed to the next one from where the log tells of that.
        let times = told.committedAt..<push.writtenAt
        let hasNewToken = cards[name]?.registrations.contains { times.contains($0) } ?? false
        guard !hasNewToken else { return false }
        return notes[name]?.contains { $0.committedAt < push.writtenAt && $0.settledPosition >= told.position } ?? false
    }

    private func seat(of following: Following, in story: Story) -> Seat? {
        story.newest.heroes.firstIndex { $0.playerID == following.record.playerID }.map { Seat(rawValue: $0) }
    }
}

// MARK: - Alerts

extension Evidence {
    /// An alert that a card must have got.
    private struct OwedAlert {
        let sequence: Int
        let position: Int64
        let committedAt: Int64
        /// What the payload holds.
        let mark: [UInt8]
    }

    /// The alerts of an adventure that nothing has cancelled for a card.
    private func owedAlerts(to following: Following, at seat: Seat, in story: Story) -> [OwedAlert] {
        // A card that nobody looks at any more gets no more alerts.
        guard following.releasedAt == nil, !following.record.isAbandoned else { return [] }
        var owed: [(alert: PushAlert, OwedAlert)] = []
        for happening in story.happenings where happening.position > following.registeredAt {
            let rule = PushRules.rule(for: happening.event, after: story.newest, receiver: seat)
            owed.removeAll { rule.cancels.contains($0.alert.kind) || $0.alert.kind == rule.alert?.kind }
            if let alert = rule.alert {
                let mark = alert.mark(in: story.newest)
                owed.append(
                    (
                        alert,
                        OwedAlert(
                            sequence: happening.sequence,
                            position: happening.position,
                            committedAt: happening.committedAt,
                            mark: mark
                        )
                    )
                )
            }
            if rule.endsActivity {
                owed.removeAll { !$0.alert.kind.tellsTheEnd }
                break
            }
        }
        return owed.map(\.1).filter { alert in
            // A node that crashes takes with it what was owed to a dead token.
            !following.record.tokenChanges.dropFirst().contains { change in
                change.until.map { $0 >= alert.committedAt } ?? true
            }
        }
    }
}

extension PushAlert {
    /// What tells this alert in a payload: its title; of companions, who may be told of together, the name.
    fileprivate func mark(in adventure: Adventure) -> [UInt8] {
        if case .companionDown(let seat) = kind { return Array(adventure.heroes[seat.rawValue].id.name.utf8) }
        return Array(#""loc-key":"\#(content.title.key)""#.utf8)
    }
}

extension Evidence.Story {
    /// What a card shows in the end.
    fileprivate func contentState(for seat: Seat) -> [UInt8] {
        let told = happenings.last { $0.event.isTold }?.event ?? .adventureStarted(kind: newest.kind)
        let state = AdventureAttributes.ContentState(of: newest, lastEvent: told, turnEnds: turnEnds)
        return EncodedContentState(state).bytes(currentHealthLevel: newest.heroes[seat.rawValue].shownHealthLevel)
    }
}
