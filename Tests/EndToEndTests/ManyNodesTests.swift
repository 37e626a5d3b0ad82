import Foundation
import GameCore
import GameStore
import RangersClient
import SimulatedPlayers
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a node says of its own work.
private struct NodeWork {
    var ticks = 0
    var pushes = 0
    var shards = 0

    static func read(from server: World.Server) async throws -> NodeWork {
        let port = try #require(server.metricsPort)
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/metrics"))
        let (data, _) = try await URLSession.shared.data(from: url)
        let text = String(decoding: data, as: UTF8.self)
        func sum(_ metric: String, where condition: (Substring) -> Bool = { _ in true }) -> Int {
            text.split(separator: "\n").filter { $0.hasPrefix("\(metric){") || $0.hasPrefix("\(metric) ") }
                .filter(condition).compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
                .reduce(0) { $0 + Int($1) }
        }
        return NodeWork(
            ticks: sum("rangers_ticks_total"),
            pushes: sum("rangers_pushes_total") { $0.contains(#"status="200""#) },
            shards: sum("rangers_dispatcher_shards_leased")
        )
    }
}

/// Players by themselves, each on a journey: enough of them that each node's share of the shards has some.
private struct Travellers {
    let journeys: [(party: SimulatedParty, followed: FollowedAdventure)]

    static func setOut(_ count: Int, on server: World.Server, _ simulator: SimulatorClient) async throws -> Travellers {
        let region = try #require(RegionCatalogue.all.max { $0.steps.lowerBound < $1.steps.lowerBound })
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
}

extension EndToEndTests {
    @Suite struct ManyNodesTests {
        private let settings = ["RANGERS_METRICS_PORT": "0", "RANGERS_JOURNEY_TICK": "300ms"]

        private func start(_ roles: String, in world: World) async throws -> World.Server {
            try await world.startServer(settings.merging(["RANGERS_ROLES": roles]) { $1 })
        }

        /// Waits until each node has ticked and pushed more than before.
        private func eachWorks(_ nodes: [World.Server], since: [NodeWork]) async throws {
            for (node, before) in zip(nodes, since) {
                _ = try await eventually("a tick") {
                    try await NodeWork.read(from: node).ticks > before.ticks ? true : nil
                }
                _ = try await eventually("a push") {
                    try await NodeWork.read(from: node).pushes > before.pushes ? true : nil
                }
            }
        }

        private func shares(_ expected: [Int], of nodes: [World.Server]) async throws {
            _ = try await eventually("shares of \(expected)") {
                var shares: [Int] = []
                for node in nodes { shares.append(try await NodeWork.read(from: node).shards) }
                return shares.sorted() == expected ? true : nil
            }
        }

        @Test
        func `nodes share the work, one that comes gets its share, and one that is killed leaves it to the others`()
            async throws
        {
            try await World.with { world in
                try await world.distribute()
                let simulator = SimulatorClient(at: world.simulatorURL)
                let first = try await start("api,engine,dispatcher", in: world)
                let second = try await start("engine,dispatcher", in: world)
                try await shares([128, 128], of: [first, second])
                let early = try await Travellers.setOut(16, on: first, simulator)
                try await eachWorks([first, second], since: [NodeWork(), NodeWork()])

                let clock = ContinuousClock()
                let third = try await start("api,engine,dispatcher", in: world)
                let arrival = clock.now
                try await shares([85, 85, 86], of: [first, second, third])
                print("a node that came had its share of the phones after \(clock.now - arrival)")
                // Through the node that came.
                let late = try await Travellers.setOut(24, on: third, simulator)
                var before: [NodeWork] = []
                for node in [first, second] { before.append(try await NodeWork.read(from: node)) }
                try await eachWorks([first, second, third], since: before + [NodeWork()])

                try await second.program.crash()
                let death = clock.now
                try await shares([128, 128], of: [first, third])
                print("what a killed node sent for was the others' after \(clock.now - death)")
                try await check(early.journeys + late.journeys, in: world, simulator)
                #expect(try await !world.hasMixedShards())
            }
        }

        /// Nothing is lost or doubled: neither in the logs nor on the phones.
        private func check(
            _ journeys: [(party: SimulatedParty, followed: FollowedAdventure)],
            in world: World,
            _ simulator: SimulatorClient
        ) async throws {
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
}
