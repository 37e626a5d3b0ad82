import Foundation
import GameCore
import GameLog
import GameStore
import RangersClient
import SimulatedPlayers
import TestSupport
import Testing

/// Journeys of many one-player parties, enough for every node's share of the shards.
struct ConcurrentJourneys {
    let all: [(party: StoryParty, followed: TrackedAdventure)]

    /// Registers players, each with a party, and starts their journeys in the longest or shortest region.
    static func start(
        _ count: Int,
        on server: TestDeployment.Server,
        _ simulator: SimulatorClient,
        isLong: Bool = true
    ) async throws -> ConcurrentJourneys {
        let regions = RegionCatalogue.all.sorted { $0.steps.lowerBound < $1.steps.lowerBound }
        let region = try #require(isLong ? regions.last : regions.first)
        return try await withThrowingTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    let role = PlayerRole.cast[number % PlayerRole.cast.count]
                    let player = try await SimulatedPlayer.register(as: role, at: server.url, with: simulator)
                    let party = try await StoryParty.gather([player], named: "Traveller \(number)")
                    return (party, try await party.startJourney(in: region.id))
                }
            }
            return ConcurrentJourneys(all: try await group.reduce(into: []) { $0.append($1) })
        }
    }

    /// Waits for the end of all journeys and checks that nothing is lost or duplicated, neither in the logs nor on the
    /// phones.
    func awaitEnds(in deployment: TestDeployment, _ simulator: SimulatorClient) async throws {
        let ids = Set(all.flatMap(\.followed.activities).map(\.id))
        _ = try await eventually("the end of all journeys", within: .seconds(180)) {
            let shown = try await simulator.phones().flatMap(\.activities).filter { ids.contains($0.activityID) }
            return shown.count == ids.count && shown.allSatisfy(\.isEndedByPush) ? true : nil
        }
        let evidence = try await withThrowingTaskGroup { group in
            for (party, followed) in all {
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
        for shard in Set(all.map(\.followed.id.shard)) {
            let positions = try await deployment.store.log(of: shard, after: 0, limit: 100_000).map(\.position)
            #expect(positions == Array(1...Int64(positions.count)))
        }
        for check in [StoryCheck.lastStates, StoryCheck.ends, StoryCheck.violations] {
            let condition = check(evidence)
            #expect(condition.faults == [], "\(condition.condition)")
        }
    }
}
