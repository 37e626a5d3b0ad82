import Encodings
import GameCore
import GameLog
package import GameStore

/// The raids of a run of real processes.
extension RunHistory {
    /// What a player of a raid got.
    struct RaidPlayer: Sendable {
        /// The history.
        let awards: [Award]
        let progress: PlayerProgress
    }

    private static let maxRaids = 10_000
    private static let maxAwards = 100_000

    /// Reads the raids of a database whose logs and adventures have been read, and what their players got.
    ///
    /// A raid that cannot be read is listed in ``unreadable``.
    package mutating func readRaids(from store: GameStore) async throws {
        var players: [PlayerID: RaidPlayer] = [:]
        for raid in try await store.raids(includingEnded: true, limit: Self.maxRaids) {
            do {
                guard let record = try await store.raidRecord(of: raid.id) else { continue }
                var fights: [AdventureID: PartyID] = [:]
                for (id, adventure) in adventures where adventure.newest.raid?.raidID == raid.id {
                    guard let stored = try await store.adventure(id) else { continue }
                    fights[id] = stored.partyID
                    for player in adventure.newest.heroes.map(\.playerID) where players[player] == nil {
                        guard let progress = try await store.player(player)?.progress else { continue }
                        let awards = try await store.history(of: player, after: nil, limit: Self.maxAwards)
                        players[player] = RaidPlayer(awards: awards, progress: progress)
                    }
                }
                raids[raid.id] = RaidHistory(
                    raid: record.raid,
                    isSettled: record.isSettled,
                    members: record.members.map { Int16($0.rawValue) },
                    decisions: record.decisions,
                    rounds: try await store.raidHistory(of: raid.id, after: -1, limit: .max),
                    ranking: try await store.raidStandings(of: raid.id).ranking,
                    fights: fights
                )
            } catch let error as StoreError { unreadable.append("raid \(raid.id) cannot be read: \(error)") }
        }
        raidPlayers = players
    }

    /// The raids that were defeated, the rounds that were added up, and the fights, over all raids.
    package var raidCounts: (raids: Int, defeated: Int, rounds: Int, fights: Int) {
        (
            raids.count, raids.values.count { $0.raid.state == .defeated },
            raids.values.reduce(0) { $0 + $1.rounds.count }, raids.values.reduce(0) { $0 + $1.fights.count }
        )
    }

    /// Returns the fights of a raid whose players did not get once what they brought, if what players got is known.
    func awardErrors(in history: RaidHistory) -> [String] {
        var errors: [String] = []
        for id in history.fights.keys.sorted() {
            guard let adventure = adventures[id], adventure.endedAt != nil else { continue }
            let bosses = adventure.newest.outcome == .bossDefeated ? 1 : 0
            for (hero, gain) in zip(adventure.newest.heroes, adventure.gainedExperience) {
                guard let player = raidPlayers[hero.playerID] else { continue }
                let awards = player.awards.filter { $0.adventureID == id }
                if awards.map(\.experience) != [gain] || awards.map(\.bosses) != [bosses] {
                    errors.append(
                        """
                        \(id) brought \(hero.playerID) experience of \(gain) and \(bosses) bosses, but there are \
                        \(awards.count) awards of \(awards.map(\.experience)) and \(awards.map(\.bosses))
                        """
                    )
                }
            }
        }
        return errors
    }

    /// Returns the players of raids whose progress is not the sum of their awards, since one was given twice or not at all.
    func raidProgressErrors() -> [String] {
        raidPlayers.sorted { $0.key < $1.key }.compactMap { id, player in
            let sum = ProgressChange(adding: player.awards, to: [:], scores: [:]).players[id] ?? PlayerProgress()
            guard sum != player.progress else { return nil }
            return "\(id) has experience of \(player.progress.experience), but the awards sum up to \(sum.experience)"
        }
    }
}
