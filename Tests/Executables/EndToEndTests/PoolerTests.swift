import Foundation
import GameCore
import GameStore
import PrivatePostgres
import RangersClient
import SimulatedPlayers
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct PoolerTests {
        @Test func `everything works through PgBouncer in transaction mode`() async throws {
            try await TestDeployment.with { deployment in
                let bouncer = try await PgBouncer.start(in: deployment, connections: 4)
                defer { bouncer.remove() }
                let settings = deployment.environment.merging(bouncer.settings) { $1 }
                let (status, output) = try await deployment.run("rangersd", "migrate", environment: settings)
                #expect(status == 0, "\(output)")
                let (created, operatorOutput) = try await deployment.run(
                    "rangersd",
                    "operator",
                    "create",
                    "pooled",
                    "--role",
                    "viewer",
                    environment: settings
                )
                #expect(created == 0, "\(operatorOutput)")

                let server = try await deployment.startServer(bouncer.settings)
                try await deployment.playStory(on: server)
                let statistics = try await bouncer.statistics()
                // Migrations, requests, ticks and leases: hundreds of transactions on shared connections.
                #expect(statistics.transactions > 100)
                #expect(statistics.clients > statistics.servers)
                #expect((1...4).contains(statistics.servers))

                server.program.send(SIGTERM)
                #expect(try await server.program.end(within: .seconds(30)) == 0, "\(server.program.output)")
                #expect(try await deployment.store.unleasedShards().count == Shard.all.count)
                #expect(!server.program.output.contains("prepared statement"), "\(server.program.output)")
            }
        }

        @Test
        func `nodes of all roles share the work through one pooler and take over from a killed node`()
            async throws
        {
            try await TestDeployment.with { deployment in
                let bouncer = try await PgBouncer.start(in: deployment, connections: 8)
                defer { bouncer.remove() }
                let pooled = deployment.environment.merging(bouncer.settings) { $1 }
                let (status, output) = try await deployment.run("rangersd", "migrate", environment: pooled)
                #expect(status == 0, "\(output)")
                _ = try await PostgresShell.run(Self.expiredKeys, on: deployment.databaseURL)
                try await deployment.distribute(bouncer.settings)
                func start(_ roles: String) async throws -> TestDeployment.Server {
                    let settings = ["RANGERS_ROLES": roles, "RANGERS_METRICS_PORT": "0"]
                    return try await deployment.startServer(settings.merging(bouncer.settings) { $1 })
                }
                let nodes = [
                    try await start("api,engine"), try await start("engine,dispatcher"),
                    try await start("api,dispatcher"),
                ]
                try await NodeStatistics.shares([0, 128, 128], of: nodes)

                let simulator = SimulatorClient(at: deployment.simulatorURL)
                let journeys = try await ConcurrentJourneys.start(12, on: nodes[0], simulator, isLong: false)
                // The stream is followed on the node that does not run the engine.
                async let followed = Self.follow(on: nodes[2])
                let shown = try await Self.watch(journeys.all[0].followed.id, on: nodes[2], in: deployment)
                let start = NodeStatistics()
                try await NodeStatistics.grows(\.clockMoves, of: [nodes[0], nodes[1]], since: [start, start])
                try await NodeStatistics.grows(\.pushes, of: [nodes[1], nodes[2]], since: [start, start])

                try await nodes[1].program.crash()
                try await NodeStatistics.shares([0, 256], of: [nodes[0], nodes[2]])
                try await journeys.awaitEnds(in: deployment, simulator)
                let sequences = try await followed
                #expect(sequences == Array(1...max(sequences.count, 2)))
                #expect(try await shown.end() == 0, "\(shown.output)")
                _ = try await eventually("the removal of expired keys") {
                    let left = "SELECT key FROM idempotency_keys WHERE key = 'old'"
                    return try await PostgresShell.run(left, on: deployment.databaseURL).isEmpty ? true : nil
                }
                try await Self.runCampaign(on: nodes[2], in: deployment)
                #expect(try await !deployment.hasMixedShards())

                let statistics = try await bouncer.statistics()
                #expect(statistics.clients > statistics.servers && (1...8).contains(statistics.servers))
                for node in nodes {
                    #expect(!node.program.output.contains("prepared statement"), "\(node.program.output)")
                }
            }
        }

        /// Expired idempotency keys in each shard, for the nodes' retention workers to remove.
        private static let expiredKeys = """
            INSERT INTO idempotency_keys (shard, player_id, key, request_hash, status, body, created_at)
            SELECT number, '01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11', 'old', '\\x00', 200, '{}', now() - interval '2 days'
            FROM generate_series(0, 255) AS number
            """

        /// Plays a journey and follows its event stream to the end.
        private static func follow(on server: TestDeployment.Server) async throws -> [Int] {
            let rangers = RangersServer(at: server.url)
            let player = rangers.player(with: try await rangers.register("Ada", playing: "spouty").token)
            let party = try await player.createParty(named: "Followed")
            let journey = try await player.startJourney(of: party.partyID, in: "meadow")
            return try await player.stream(of: journey.adventureID).reduce(into: []) { $0.append($1.sequence) }
        }

        /// Starts `rangersctl adventure show --watch` for a journey.
        private static func watch(
            _ id: AdventureID,
            on server: TestDeployment.Server,
            in deployment: TestDeployment
        ) async throws -> RunningProgram {
            let viewer = try await deployment.createOperator("viewer", role: "viewer").path(percentEncoded: false)
            let address = ["--server", server.url.absoluteString, "--token-file", viewer]
            let command = ["adventure", "show", "\(id)", "--watch", "--every", "1"]
            return try deployment.start("rangersctl", command + address, environment: [:])
        }

        /// Starts a boss fight for all idle parties.
        private static func runCampaign(on server: TestDeployment.Server, in deployment: TestDeployment) async throws {
            let admin = try await deployment.createOperator("admin", role: "admin").path(percentEncoded: false)
            let address = ["--server", server.url.absoluteString, "--token-file", admin]
            let command = ["boss", "start", "old-tangle", "--all-idle", "--yes"]
            let campaign = try deployment.start("rangersctl", command + address, environment: [:])
            #expect(try await campaign.end() == 0, "\(campaign.output)")
            // The twelve parties of the journeys, and the followed one.
            #expect(campaign.output.contains(/started +13\n/), "\(campaign.output)")
        }
    }
}
