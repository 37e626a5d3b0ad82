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
            try await World.with { world in
                let bouncer = try await PgBouncer.start(in: world, connections: 4)
                defer { bouncer.remove() }
                let settings = world.environment.merging(bouncer.settings) { $1 }
                let (status, output) = try await world.run("rangersd", "migrate", environment: settings)
                #expect(status == 0, "\(output)")
                let (created, said) = try await world.run(
                    "rangersd",
                    "operator",
                    "create",
                    "pooled",
                    "--role",
                    "viewer",
                    environment: settings
                )
                #expect(created == 0, "\(said)")

                let server = try await world.startServer(bouncer.settings)
                try await world.tellStory(on: server)
                let statistics = try await bouncer.statistics()
                // Migrations, requests, ticks and leases: hundreds of transactions, on connections that were shared.
                #expect(statistics.transactions > 100)
                #expect(statistics.clients > statistics.servers)
                #expect((1...4).contains(statistics.servers))

                server.program.send(SIGTERM)
                #expect(try await server.program.end(within: .seconds(30)) == 0, "\(server.program.output)")
                #expect(try await world.store.unleasedShards().count == Shard.all.count)
                #expect(!server.program.output.contains("prepared statement"), "\(server.program.output)")
            }
        }

        @Test
        func `nodes of any role share the work through one pooler, and one that is killed leaves it to the others`()
            async throws
        {
            try await World.with { world in
                let bouncer = try await PgBouncer.start(in: world, connections: 8)
                defer { bouncer.remove() }
                let pooled = world.environment.merging(bouncer.settings) { $1 }
                let (status, output) = try await world.run("rangersd", "migrate", environment: pooled)
                #expect(status == 0, "\(output)")
                _ = try await PostgresShell.run(Self.expiredKeys, on: world.databaseURL)
                try await world.distribute(bouncer.settings)
                func start(_ roles: String) async throws -> World.Server {
                    let settings = ["RANGERS_ROLES": roles, "RANGERS_METRICS_PORT": "0"]
                    return try await world.startServer(settings.merging(bouncer.settings) { $1 })
                }
                let nodes = [
                    try await start("api,engine"), try await start("engine,dispatcher"),
                    try await start("api,dispatcher"),
                ]
                try await NodeWork.shares([0, 128, 128], of: nodes)

                let simulator = SimulatorClient(at: world.simulatorURL)
                let travellers = try await Travellers.setOut(12, on: nodes[0], simulator, isLong: false)
                // Who follows a game by the node that does not play it.
                async let followed = Self.follow(on: nodes[2])
                let shown = try await Self.watch(travellers.journeys[0].followed.id, on: nodes[2], in: world)
                let start = NodeWork()
                try await NodeWork.grows(\.ticks, of: [nodes[0], nodes[1]], since: [start, start])
                try await NodeWork.grows(\.pushes, of: [nodes[1], nodes[2]], since: [start, start])

                try await nodes[1].program.crash()
                try await NodeWork.shares([0, 256], of: [nodes[0], nodes[2]])
                try await travellers.arrive(in: world, simulator)
                let sequences = try await followed
                #expect(sequences == Array(1...max(sequences.count, 2)))
                #expect(try await shown.end() == 0, "\(shown.output)")
                _ = try await eventually("what has expired is removed") {
                    let left = "SELECT key FROM idempotency_keys WHERE key = 'old'"
                    return try await PostgresShell.run(left, on: world.databaseURL).isEmpty ? true : nil
                }
                try await Self.runCampaign(on: nodes[2], in: world)
                #expect(try await !world.hasMixedShards())

                let statistics = try await bouncer.statistics()
                #expect(statistics.clients > statistics.servers && (1...8).contains(statistics.servers))
                for node in nodes {
                    #expect(!node.program.output.contains("prepared statement"), "\(node.program.output)")
                }
            }
        }

        /// In each shard an answer whose time is over, which the nodes' housekeepers are to remove.
        private static let expiredKeys = """
            INSERT INTO idempotency_keys (shard, player_id, key, request_hash, status, answer, created_at)
            SELECT number, '01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11', 'old', '\\x00', 200, '{}', now() - interval '2 days'
            FROM generate_series(0, 255) AS number
            """

        /// A player by herself, whose app follows her journey to its end.
        private static func follow(on server: World.Server) async throws -> [Int] {
            let rangers = RangersServer(at: server.url)
            let player = rangers.player(with: try await rangers.register("Ada", playing: "spouty").token)
            let party = try await player.createParty(named: "Followed")
            let journey = try await player.startJourney(of: party.partyID, in: "meadow")
            return try await player.stream(of: journey.adventureID).reduce(into: []) { $0.append($1.sequence) }
        }

        /// An operator who watches a journey until it is over.
        private static func watch(
            _ id: AdventureID,
            on server: World.Server,
            in world: World
        ) async throws -> RunningProgram {
            let viewer = try await world.createOperator("viewer", role: "viewer").path(percentEncoded: false)
            let address = ["--server", server.url.absoluteString, "--token-file", viewer]
            let command = ["adventure", "show", "\(id)", "--watch", "--every", "1"]
            return try world.start("rangersctl", command + address, environment: [:])
        }

        /// A fight for everybody who has come home.
        private static func runCampaign(on server: World.Server, in world: World) async throws {
            let admin = try await world.createOperator("admin", role: "admin").path(percentEncoded: false)
            let address = ["--server", server.url.absoluteString, "--token-file", admin]
            let command = ["boss", "start", "old-tangle", "--all-idle", "--yes"]
            let campaign = try world.start("rangersctl", command + address, environment: [:])
            #expect(try await campaign.end() == 0, "\(campaign.output)")
            // The travellers, and whoever is followed.
            #expect(campaign.output.contains(/started +13\n/), "\(campaign.output)")
        }
    }
}
