import Foundation
import SimulatedPlayers
import Testing

extension EndToEndTests {
    @Suite struct ManyNodesTests {
        private let settings = ["RANGERS_METRICS_PORT": "0", "RANGERS_JOURNEY_TICK": "300ms"]

        private func start(_ roles: String, in deployment: TestDeployment) async throws -> TestDeployment.Server {
            try await deployment.startServer(settings.merging(["RANGERS_ROLES": roles]) { $1 })
        }

        @Test
        func `nodes share the work with a new node and take over from a killed node`()
            async throws
        {
            try await TestDeployment.with { deployment in
                try await deployment.distribute()
                let simulator = SimulatorClient(at: deployment.simulatorURL)
                let first = try await start("api,engine,dispatcher", in: deployment)
                let second = try await start("engine,dispatcher", in: deployment)
                try await NodeStatistics.shares([128, 128], of: [first, second])
                let early = try await ConcurrentJourneys.start(16, on: first, simulator)
                try await NodeStatistics.eachGrows([first, second], since: [NodeStatistics(), NodeStatistics()])

                let clock = ContinuousClock()
                let third = try await start("api,engine,dispatcher", in: deployment)
                let arrival = clock.now
                try await NodeStatistics.shares([85, 85, 86], of: [first, second, third])
                print("the new node had its share of the shards after \(clock.now - arrival)")
                // These journeys start on the new node.
                let late = try await ConcurrentJourneys.start(24, on: third, simulator)
                var before: [NodeStatistics] = []
                for node in [first, second] { before.append(try await NodeStatistics.read(from: node)) }
                try await NodeStatistics.eachGrows([first, second, third], since: before + [NodeStatistics()])

                try await second.program.crash()
                let death = clock.now
                try await NodeStatistics.shares([128, 128], of: [first, third])
                print("the other nodes had the killed node's shards after \(clock.now - death)")
                try await ConcurrentJourneys(all: early.all + late.all).awaitEnds(in: deployment, simulator)
                #expect(try await !deployment.hasMixedShards())
            }
        }
    }
}
