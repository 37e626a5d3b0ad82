import Foundation
import GameCore
import GameStore
import RangersClient
import SimulatedPlayers
import TestSupport
import Testing

/// Players by themselves, each on a journey: enough of them that each node's share of the shards has some.
struct Travellers {
    let journeys: [(party: SimulatedParty, followed: FollowedAdventure)]

    /// Has players found parties and set out, each through the longest of the regions, or the shortest.
    static func setOut(
        _ count: Int,
        on server: World.Server,
        _ simulator: SimulatorClient,
        isLong: Bool = true
    ) async throws -> Travellers {
        let regions = RegionCatalogue.all.sorted { $0.steps.lowerBound < $1.steps.lowerBound }
        let region = try #require(isLong ? regions.last : regions.first)
        return try await withThrowingTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    let role = PlayerRole.cast[number % PlayerRole.cast.count]
                    let player = try await SimulatedPlayer.register(as: role, at: server.url, with: simulator)
                    let party = try await SimulatedParty.gather([player], named: "Traveller \(number)")
                    return (party, try await party.startJourney(in: region.id))
                }
            }
            return Travellers(journeys: try await group.reduce(into: []) { $0.append($1) })
        }
    }

    /// Waits for the end of all journeys; nothing is lost or doubled, neither in the logs nor on the phones.
    func arrive(in world: World, _ simulator: SimulatorClient) async throws {
        let ids = Set(journeys.flatMap(\.followed.activities).map(\.id))
        _ = try await eventually("the end of all journeys", within: .seconds(180)) {
            let shown = try await simulator.phones().flatMap(\.activities).filter { ids.contains($0.activityID) }
            return shown.count == ids.count && shown.allSatisfy(\.isEndedByPush) ? true : nil
        }
        let evidence = try await withThrowingTaskGroup { group in
            for (party, followed) in journeys {
                group.addTask {
                    try await AdventureEvidence.gather(
                        of: followed,
                        of: party,
                        from: simulator,
                        waitingFor: .seconds(30),
                        serverWasKilled: true
                    )
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for journey in evidence {
            #expect(journey.events.map(\.sequence) == Array(1...journey.adventure.sequence))
            #expect(
                journey.events.last?.event == journey.adventure.outcome?.value.map { .adventureEnded(outcome: $0) }
            )
        }
        for shard in Set(journeys.map(\.followed.id.shard)) {
            let positions = try await world.store.log(of: shard, after: 0, limit: 100_000).map(\.position)
            #expect(positions == Array(1...Int64(positions.count)))
        }
        for check in [StoryCheck.lastStates, StoryCheck.ends, StoryCheck.manners] {
            let condition = check(evidence)
            #expect(condition.faults == [], "\(condition.condition)")
        }
    }
}
