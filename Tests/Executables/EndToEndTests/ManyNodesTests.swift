import Foundation
import SimulatedPlayers
import Testing

extension EndToEndTests {
    @Suite struct ManyNodesTests {
        private let settings = ["RANGERS_METRICS_PORT": "0", "RANGERS_JOURNEY_TICK": "300ms"]

        private func start(_ roles: String, in world: World) async throws -> World.Server {
            try await world.startServer(settings.merging(["RANGERS_ROLES": roles]) { $1 })
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
                try await NodeWork.shares([128, 128], of: [first, second])
                let early = try await Travellers.setOut(16, on: first, simulator)
                try await NodeWork.eachGrows([first, second], since: [NodeWork(), NodeWork()])

                let clock = ContinuousClock()
                let third = try await start("api,engine,dispatcher", in: world)
                let arrival = clock.now
                try await NodeWork.shares([85, 85, 86], of: [first, second, third])
                print("a node that came had its share of the phones after \(clock.now - arrival)")
                // Through the node that came.
                let late = try await Travellers.setOut(24, on: third, simulator)
                var before: [NodeWork] = []
                for node in [first, second] { before.append(try await NodeWork.read(from: node)) }
                try await NodeWork.eachGrows([first, second, third], since: before + [NodeWork()])

                try await second.program.crash()
                let death = clock.now
                try await NodeWork.shares([128, 128], of: [first, third])
                print("what a killed node sent for was the others' after \(clock.now - death)")
                try await Travellers(journeys: early.journeys + late.journeys).arrive(in: world, simulator)
                #expect(try await !world.hasMixedShards())
            }
        }
    }
}
