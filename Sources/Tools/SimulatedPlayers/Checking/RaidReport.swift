import CommandLineSupport
import Encodings
import GameCore
import LiveActivityContent
import RangersClient

/// The report of a raid: each party's part in it, and the conditions.
public struct RaidReport: Encodable, Sendable {
    /// A fight of a party.
    struct Fight: Sendable {
        let party: RaidParty
        let adventure: TrackedAdventure
    }

    /// A party in the report.
    struct Party: Encodable, Sendable {
        let party: String
        let place: Int?
        let damage: Int
        let fights: Int
        let pushes: Int
        let ends: Int
        let isLastStateRight: Bool
    }

    private enum CodingKeys: CodingKey {
        case holds
        case parties
        case conditions
    }

    let parties: [Party]
    /// The conditions in display order.
    public let conditions: [StoryCondition]

    /// Whether every condition holds.
    public var holds: Bool { conditions.allSatisfy(\.holds) }

    /// The report as text: a table of parties, then the conditions with their faults.
    public var lines: [String] {
        let table = Table(
            [
                .init("PLACE", isNumber: true), .init("PARTY"), .init("DAMAGE", isNumber: true),
                .init("FIGHTS", isNumber: true), .init("PUSHES", isNumber: true), .init("ENDS", isNumber: true),
                .init("LAST STATE"),
            ],
            rows: parties.map { party in
                [
                    party.place.map(String.init) ?? "", party.party, "\(party.damage)", "\(party.fights)",
                    "\(party.pushes)", "\(party.ends)", party.isLastStateRight ? "right" : "WRONG",
                ]
            }
        )
        return table.lines(fitting: nil) + [""] + conditions.flatMap(\.lines)
    }

    /// Checks all conditions.
    /// - Parameters:
    ///   - raid: the raid at its end.
    ///   - rounds: all of its rounds.
    ///   - ranking: the ranking at its end, which has all parties.
    ///   - fights: the parties' fights.
    ///   - evidence: the evidence of each fight, in the same order.
    ///   - activity: the activity on the raid's channel; nil if none was started.
    init(
        raid: RaidResponse,
        rounds: [RaidRoundsPage.Round],
        ranking: [RaidRanking.Entry],
        fights: [Fight],
        evidence: [AdventureEvidence],
        onChannel activity: PhoneResponse.Activity?
    ) {
        let places = Dictionary(ranking.map { ($0.partyID, $0) }, uniquingKeysWith: { first, _ in first })
        let played = Dictionary(grouping: zip(fights, evidence), by: \.0.party.player.id).values
        parties = played.map { all in
            let activities = all.flatMap { _, evidence in evidence.activities.map { ($0, evidence) } }
            let pushes = activities.flatMap { activity, evidence in evidence.pushes(to: activity) }
            let entry = places[all[0].1.adventure.partyID]
            return Party(
                party: all[0].0.party.name,
                place: entry?.place,
                damage: entry?.damage ?? 0,
                fights: all.count,
                pushes: pushes.count,
                ends: pushes.count { $0.kind == .end },
                isLastStateRight: activities.allSatisfy { StoryCheck.lastStateFaults($0, in: $1).isEmpty }
            )
        }.sorted { ($0.place ?? .max, $0.party) < ($1.place ?? .max, $1.party) }
        conditions = [
            Self.kill(of: raid),
            Self.sums(of: raid, rounds, ranking),
            Self.timelines(of: raid, evidence),
            StoryCheck.lastStates(of: evidence),
            StoryCheck.ends(of: evidence),
            Self.broadcasts(of: raid, activity),
            StoryCheck.violations(of: evidence),
        ]
    }

    /// Encodes the report for scripts.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(holds, forKey: .holds)
        try container.encode(parties, forKey: .parties)
        try container.encode(conditions, forKey: .conditions)
    }

    /// Checks that the raid ended with the boss defeated.
    static func kill(of raid: RaidResponse) -> StoryCondition {
        let isKilled = raid.state.value == .defeated && raid.finishingBlow != nil && raid.boss.health == 0
        return StoryCondition(
            condition: "the raid ended with the boss defeated, by one finishing blow",
            note: "\(raid.state.rawValue) in round \(raid.round)",
            faults: isKilled ? [] : ["\(raid.state.rawValue), with \(raid.boss.health) health left"]
        )
    }

    /// Checks that the broadcasts to the raid's channel have shown its end.
    static func broadcasts(of raid: RaidResponse, _ activity: PhoneResponse.Activity?) -> StoryCondition {
        let state = activity?.contentState
        let isRight = activity?.isEndedByPush == true && state?.outcome == raid.state.rawValue
        return StoryCondition(
            condition: "the activity on the raid's channel has its final state, and is ended",
            note: nil,
            faults: isRight ? [] : [activity == nil ? "there is none" : "it shows \(state?.outcome ?? "no outcome")"]
        )
    }

    /// Checks that all sums of the server are the boss's health.
    static func sums(
        of raid: RaidResponse,
        _ rounds: [RaidRoundsPage.Round],
        _ ranking: [RaidRanking.Entry]
    ) -> StoryCondition {
        let sums = [
            ("the raid's damage", raid.damage), ("the rounds", rounds.reduce(0) { $0 + $1.damage }),
            ("the parties in the ranking", ranking.reduce(0) { $0 + $1.damage }),
        ]
        return StoryCondition(
            condition: "raid, rounds and ranking have the same damage: the boss's health",
            note: "\(rounds.count) rounds, \(raid.boss.maximumHealth) health",
            faults: sums.filter { $1 != raid.boss.maximumHealth }.map { "\($0): \($1)" }
        )
    }

    /// Checks the kill by the parties' own events: before the finishing blow the boss had health left, and with it none.
    ///
    /// The order of blows in one millisecond is not in the events, so these blows count as before and as after.
    static func timelines(of raid: RaidResponse, _ evidence: [AdventureEvidence]) -> StoryCondition {
        let condition = "the blows in the parties' own events defeat the boss with the finishing blow"
        guard let finishing = raid.finishingBlow else {
            return StoryCondition(condition: condition, note: nil, faults: ["there is no finishing blow"])
        }
        let blows = evidence.flatMap { fight in
            fight.events.compactMap { event -> (event: StoryEvent, fight: AdventureEvidence, damage: Int)? in
                guard case .actionTaken(_, _, let damage) = event.event, damage > 0 else { return nil }
                return (event, fight, damage)
            }
        }
        let moment = Timestamp(finishing.at)
        func isFinishing(_ blow: (event: StoryEvent, fight: AdventureEvidence, damage: Int)) -> Bool {
            blow.event.at == moment && blow.fight.adventure.adventureID == finishing.adventureID
        }
        let before = blows.filter { $0.event.at < moment }.reduce(0) { $0 + $1.damage }
        let atOnce = blows.filter { $0.event.at == moment && !isFinishing($0) }.reduce(0) { $0 + $1.damage }
        let last = blows.filter(isFinishing).reduce(0) { $0 + $1.damage }
        let health = raid.boss.maximumHealth
        let isKill = before < health && before + atOnce + last >= health
        let text = "\(before) before it, \(last) with it, \(atOnce) in the same millisecond, of \(health)"
        return StoryCondition(condition: condition, note: text, faults: isKill ? [] : [text])
    }
}
