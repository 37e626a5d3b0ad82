import Foundation
import GameCore
import GameStore
import Testing

extension EndToEndTests {
    @Suite struct PoolerTests {
        @Test func `everything works through PgBouncer in transaction mode`() async throws {
            try await World.with { world in
                let bouncer = try await PgBouncer.start(in: world)
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
                #expect((1...PgBouncer.serverConnections).contains(statistics.servers))

                server.program.send(SIGTERM)
                #expect(try await server.program.end(within: .seconds(30)) == 0, "\(server.program.output)")
                #expect(try await world.store.freeShards().count == Shard.all.count)
                #expect(!server.program.output.contains("prepared statement"), "\(server.program.output)")
            }
        }
    }
}
