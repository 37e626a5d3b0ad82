import Cryptography
import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore

/// The raid of a run, which an operator starts and sometimes stops.
final class ScriptedRaid {
    private let world: SimulatedWorld
    private let client: CommandClient
    private let shards: [Int16]
    /// The raid; nil before it was started.
    private(set) var id: RaidID?

    init(in world: SimulatedWorld, client: CommandClient, shards: [Int16]) {
        self.world = world
        self.client = client
        self.shards = shards
    }

    /// Starts a raid whose boss is defeated at once, soon or late, or not at all.
    func run() async {
        let author = ScriptedParty.operatorAuthor
        await pause(1_000...8_000)
        // The home follows from the key, and the database has only a few shards.
        var key = "raid"
        while !shards.contains(Int16(Shard.ofNewRaid(by: author.name, key: key).rawValue)) { key += "+" }
        let request = IdempotentRequest(key: key, hash: SHA256.digest(of: key))
        let boss = BossCatalogue.all[world.number(below: BossCatalogue.all.count)].id
        let health = [5, 60, 150, 300, 1_000_000][world.number(below: 5)]
        var startsAt: Timestamp?
        if world.number(below: 4) == 0 { startsAt = await client.read { try await $0.now() + .seconds(3) } }
        let duration = world.duration(8_000...30_000)
        let plan = RaidPlan(boss: boss, health: health, startsAt: startsAt, duration: duration, regions: [])
        let response = await client.send(knowing: .raids) { commands in
            try await commands.startRaid(plan, by: author, request: request, dryRun: false).id
        }
        guard case .success(let id)? = response else { return }
        self.id = id
        guard world.number(below: 4) == 0 else { return }
        await pause(3_000...20_000)
        _ = await client.send(knowing: .raids) { try await $0.stopRaid(id, by: author).id }
    }

    private func pause(_ range: ClosedRange<Int>) async {
        // This task is never cancelled.
        try? await world.sleep(for: world.duration(range))
    }
}
