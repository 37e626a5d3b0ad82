import Encodings
import Foundation
import GameCore
import GameLog
import GameStore

extension RunHistory {
    /// What the players have of their adventures, as it is stored.
    struct StoredProgress: Sendable {
        /// The histories of the players.
        var histories: [PlayerID: [Award]] = [:]
        var players: [PlayerID: PlayerProgress] = [:]
        var scores: [ProgressChange.ScoreKey: Int] = [:]
        /// The numbers of players by score.
        var buckets: [ProgressChange.BucketKey: Int] = [:]
    }

    /// The number of adventures of a player that are read.
    private static let maxHistory = 10_000

    /// Reads what the players have.
    mutating func collectProgress(from tables: MemoryTables, _ store: GameStore) async {
        var progress = StoredProgress()
        for id in tables.players.keys.sorted() {
            let id = PlayerID(rawValue: id)
            do {
                progress.players[id] = try await store.player(id)?.progress
                progress.histories[id] = try await store.history(of: id, after: nil, limit: Self.maxHistory)
                for (edition, score) in try await store.scores(of: id) {
                    progress.scores[ProgressChange.ScoreKey(playerID: id, edition: edition)] = score
                }
            } catch {
                unreadable.append("the progress of player \(id) cannot be read: \(error)")
            }
        }
        for (key, players) in tables.buckets where players != 0 {
            guard let board = Leaderboard(rawValue: key.board), let period = LeaderboardPeriod(rawValue: key.period)
            else {
                unreadable.append("the leaderboard \(key.board) of the \(key.period) is unknown")
                continue
            }
            let endsAt = Timestamp(microseconds: key.endsAt)
            let edition = LeaderboardEdition(board: board, period: period, endsAt: endsAt)
            progress.buckets[ProgressChange.BucketKey(edition: edition, bucket: Int(key.bucket)), default: 0] +=
                Int(players)
        }
        self.progress = progress
    }

    /// Checks that the history of each player has the awards of the player's ended adventures, each once, and that progress
    /// and leaderboards are the sums of the histories.
    func checkProgress(_ check: inout InvariantCheck) {
        guard let progress else { return }
        var missing: [PlayerID: [AdventureID: (experience: Int, bosses: Int, endedAt: Timestamp)]] = [:]
        for (id, adventure) in adventures {
            guard let endedAt = adventure.endedAt else { continue }
            let bosses = adventure.newest.outcome == .bossDefeated ? 1 : 0
            for (hero, gain) in zip(adventure.newest.heroes, adventure.gainedExperience) {
                missing[hero.playerID, default: [:]][id] = (gain, bosses, endedAt)
            }
        }
        for (player, awards) in progress.histories.sorted(by: { $0.key < $1.key }) {
            check.checkedCount += 1
            for award in awards {
                let id = award.adventureID
                guard let gain = missing[player]?.removeValue(forKey: id) else {
                    check.findings.append("\(player) got an award of \(id), which brought none")
                    continue
                }
                if gain != (award.experience, award.bosses, award.endedAt) {
                    check.findings.append("\(player) got an award of \(id) that differs from what it brought")
                }
            }
            for id in (missing[player] ?? [:]).keys.sorted() {
                check.findings.append("\(player) did not get the award of \(id)")
            }
        }
        let all = progress.histories.sorted { $0.key < $1.key }.flatMap(\.value)
        let sums = ProgressChange(adding: all, to: [:], scores: [:])
        for (player, stored) in progress.players.sorted(by: { $0.key < $1.key }) {
            let sum = sums.players[player] ?? PlayerProgress()
            guard sum != stored else { continue }
            check.findings.append(
                """
                \(player) has experience of \(stored.experience) and \(stored.bossesDefeated) bosses, but the awards \
                sum up to \(sum.experience) and \(sum.bossesDefeated)
                """
            )
        }
        if progress.scores != sums.scores { check.findings.append("scores differ from the awards of the period") }
        if progress.buckets != sums.buckets {
            check.findings.append("the numbers of players by score differ from the scores")
        }
    }
}
