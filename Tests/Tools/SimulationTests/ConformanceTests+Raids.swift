import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import Logging
import ServiceRuntime

/// What raids need.
extension Work {
    func raids(of party: PartyID, _ players: [PlayerID]) async throws {
        let founded = try await commands.createParty(
            named: Name("Raiders"),
            capacity: 1,
            founder: players[3],
            request: IdempotentRequest(key: "raiders", hash: [7])
        ) { EncodedResponse(status: 201, body: "\($0.id)") }
        guard let other = PartyID(founded.body) else { return }
        for health in [40, 1_000_000] {
            let raid = try await commands.startRaid(
                RaidPlan(
                    boss: BossCatalogue.all[0].id,
                    health: health,
                    startsAt: nil,
                    duration: .seconds(300),
                    regions: ["meadow"]
                ),
                by: author,
                request: IdempotentRequest(key: "raid \(health)", hash: [8]),
                dryRun: false
            )
            observe("raid", raid)
            await join(raid.id, party, by: players[0])
            await join(raid.id, other, by: players[3])
            try await play(cycles: 10)
            observe("raid", try await store.raid(raid.id) as Any)
            if let fight = try await store.party(other)?.adventureID {
                await observe("left") { try await self.commands.end(fight, by: self.author).endedAt as Any }
                await join(raid.id, other, by: players[3])
            }
            try await play(cycles: 30)
            await observe("stopped") { try await self.commands.stopRaid(raid.id, by: self.author) }
            try await play(cycles: 2)
            await join(raid.id, party, by: players[0])
            observe("open", try await store.openRaids())
            observe("raid", try await store.raid(raid.id) as Any)
            observe("rounds", try await store.raidHistory(of: raid.id, after: 3, limit: 1_000))
            let standings = try await store.raidStandings(of: raid.id)
            observe("ranking", standings.ranking)
            for party in [party, other] {
                let damage = try await store.raidDamage(of: party, in: raid.id)
                observe("place", damage.map { standings.place(of: $0) } as Any)
                let entries = try await store.log(of: party.shard, after: 0, limit: 10_000)
                observe("log", entries.map { "\($0.position) \($0.at) \($0.content) \($0.digest)" })
            }
        }
        observe("given", try await commands.giveAwards(limit: 100))
    }

    private func join(_ raid: RaidID, _ party: PartyID, by leader: PlayerID) async {
        await observe("joined") {
            try await self.commands.joinRaid(raid, with: party, by: leader, request: nil) {
                EncodedResponse(status: 201, body: $0.adventure.encoded)
            }
        }
    }

    private func play(cycles: Int) async throws {
        let worker = RaidWorker(
            store: store,
            runtime: runtime,
            wakeSignal: WakeSignal(),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        for _ in 0..<cycles {
            advanceClock(bySeconds: 2)
            observe("played", try await engine.runPollCycle())
            observe("raids", await worker.runCycle())
        }
    }
}
