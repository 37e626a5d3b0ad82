import GameStore
import JSONCoding
import Logging
import PostgresClient
import PrivatePostgres
import TestSupport
import Testing

@Suite struct OutageTests {
    /// The names of the diagnosis's checks, independent of their results.
    private static let lines = [
        "database", "clock", "database connections", "database sessions", "shards", "shard clocks", "lost commits",
        "adventures", "dispatchers", "unsent changes", "shown pushes", "erasures", "environments", "database machines",
        "raids", "APNs",
    ]

    /// Returns a pool with one connection, like that of another database client.
    private static func session(named name: String, on uri: String) -> PostgresPool {
        var configuration = PostgresPool.Configuration.forTests(uri: uri, maximumConnections: 1)
        configuration.applicationName = name
        return PostgresPool(
            configuration: configuration,
            logger: Logger(label: "other") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    @Test func `a server with its database is alive and ready, without a token`() async throws {
        try await APIWorld.with { world in
            let health = try await world.client.send("GET", "/healthz")
            #expect(health.status == 200 && health.json == ["status": "ok"])
            let readiness = try await world.client.send("GET", "/readyz")
            #expect(readiness.status == 200 && readiness.json == ["status": "ready"])
        }
    }

    @Test func `without its schema a server is alive and not ready`() async throws {
        try await APIWorld.with(migrated: false) { world in
            #expect(try await world.client.send("GET", "/healthz").status == 200)
            let ready = try await world.client.send("GET", "/readyz")
            #expect(ready.status == 503 && ready.slug == "not-ready")
            #expect(ready.fieldErrors["migrations"]?.contains("rangersd migrate") == true)
        }
    }

    @Test func `during an outage requests get Retry-After, and afterwards they succeed`() async throws {
        let cluster = try await PrivateCluster.start()
        try await APIWorld.with(uri: try await cluster.database()) { world in
            let ada = try await world.player()
            let body: JSONValue = ["name": "Once"]
            let (known, unknown) = (
                try await world.operatorToken(.viewer), try await world.operatorToken(.viewer, name: "Oscar")
            )
            #expect(try await world.client.send("GET", "/admin/v1/bosses", token: known).status == 200)
            try await cluster.stop()

            for reply in [
                try await world.client.send("GET", "/v1/players/me", token: ada.token),
                try await world.client.send("POST", "/v1/parties", token: ada.token, body: body),
            ] {
                #expect(reply.status == 503 && reply.slug == "database-unavailable")
                #expect(reply.header("Retry-After") == "2")
            }
            let ready = try await world.client.send("GET", "/readyz")
            #expect(ready.status == 503 && ready.header("Retry-After") == "2")
            #expect(ready.fieldErrors == ["database": "The database is unreachable."])
            #expect(try await world.client.send("GET", "/healthz").status == 200)
            #expect(world.logs.lines.contains { $0.level == .warning && $0.message == "request failed" })

            // A recently authenticated operator gets the diagnosis, and nothing else.
            let doctor = try await world.client.send("GET", "/admin/v1/doctor", token: known)
            #expect(doctor.status == 200)
            let checks = doctor.json["checks"].array
            #expect(checks.map(\.["name"].text) == Self.lines)
            #expect(checks.allSatisfy { $0["status"] != "ok" && !$0["remedy"].text.isEmpty })
            #expect(checks[0]["finding"].text.contains(/[^.?!][.?]$/))
            #expect(world.logs.requests.last?["operator"] == "Olga")
            for (path, token) in [("doctor", unknown), ("bosses", known)] {
                #expect(try await world.client.send("GET", "/admin/v1/\(path)", token: token).status == 503)
            }

            try await cluster.start()
            // Results are cached for a second.
            while try await world.client.send("GET", "/readyz").status != 200 {}
            #expect(try await world.client.send("POST", "/v1/parties", token: ada.token, body: body).status == 201)
        }
    }

    @Test func `while the database hangs, the diagnosis reports it and the remaining checks`() async throws {
        let cluster = try await PrivateCluster.start()
        let uri = try await cluster.database()
        // The database does not respond at all, so the timeout need not be as short as in production.
        let hasty = PostgresPool.Configuration(
            uri: uri,
            maximumConnections: 2,
            statementTimeout: .milliseconds(400),
            cancelTimeout: .milliseconds(200),
            connectTimeout: .milliseconds(400)
        )
        let pool = PostgresPool(configuration: hasty, logger: Logger(label: "hasty") { _ in SwiftLogNoOpLogHandler() })
        try await APIWorld.with(uri: uri, diagnosisStore: GameStore(pool: pool)) { world in
            let (known, unknown) = (
                try await world.operatorToken(.viewer), try await world.operatorToken(.viewer, name: "Oscar")
            )
            // Authenticates the operator before the outage, and opens the connections that hang later.
            #expect(try await world.client.send("GET", "/admin/v1/bosses", token: known).status == 200)
            #expect(try await world.client.send("GET", "/admin/v1/doctor", token: known).status == 200)

            try cluster.pause()
            let replies: [Reply]
            do {
                replies = [
                    try await world.client.send("GET", "/admin/v1/doctor", token: known),
                    try await world.client.send("GET", "/admin/v1/doctor", token: known),
                    try await world.client.send("GET", "/admin/v1/doctor", token: unknown),
                ]
            } catch {
                try cluster.resume()
                throw error
            }
            try cluster.resume()
            for reply in replies.prefix(2) {
                #expect(reply.status == 200)
                let checks = reply.json["checks"].array
                #expect(checks.map(\.["name"].text) == Self.lines)
                let skipped = Array(repeating: "skipped", count: Self.lines.count - 2)
                #expect(checks.map(\.["status"].text) == ["failed"] + skipped + ["failed"])
                #expect(checks.allSatisfy { !$0["remedy"].text.isEmpty })
            }
            // The database hangs while the connection is being opened, or during a statement.
            #expect(replies[2].status == 503)
            #expect(["took-too-long", "database-unavailable"].contains(replies[2].slug))
        }
    }

    @Test func `a locked row is distinguished from an outage, and its holder is found`()
        async throws
    {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let party = try await world.party(of: ada)
            let admin = try await world.operatorToken(.admin)
            let fight: JSONValue = ["boss": "glitch", "partyID": .string(party.id)]
            let other = Self.session(named: "somebody", on: world.uri)
            try await APIWorld.with(uri: world.uri, migrated: false, statementTimeout: .seconds(8)) { hasty in
                try await other.withTransaction { connection in
                    let lock = Statement("test.lock", "SELECT shard FROM shards FOR UPDATE")
                    _ = try await connection.query(PostgresQuery(lock))
                    async let operators = hasty.client.send("POST", "/admin/v1/boss-fights", token: admin, body: fight)
                    let code = "/v1/parties/\(party.id)/invite-code"
                    async let players = hasty.client.send("POST", code, token: ada.token)
                    var found: ObstructiveSession?
                    // Waits until both sessions are blocked, one of them by the other.
                    for _ in 1...10_000 {
                        found = try await world.store.lockBlockers(waitingLongerThan: .zero, limit: 5).first
                        if case .locks(waiting: 2, _)? = found?.obstruction { break }
                    }
                    let session = try #require(found)
                    #expect(session.application == "somebody" && session.state == "idle in transaction")
                    guard case .locks(waiting: 2, let longest) = session.obstruction else {
                        Issue.record("\(session.obstruction)")
                        return
                    }
                    #expect(longest > .zero)
                    #expect(try await world.store.lockBlockers(waitingLongerThan: .seconds(3_600), limit: 5).isEmpty)
                    let (operatorReply, playerReply) = (try await operators, try await players)
                    #expect(operatorReply.status == 503 && operatorReply.slug == "shard-busy")
                    #expect(operatorReply.json["detail"].text.contains("'rangersctl doctor' lists"))
                    #expect(playerReply.status == 503 && playerReply.slug == "shard-busy")
                    #expect(!playerReply.json["detail"].text.contains("rangersctl"))
                }
            }
            #expect(try await world.store.lockBlockers(waitingLongerThan: .zero, limit: 5).isEmpty)
            let start = try await world.client.send("POST", "/admin/v1/boss-fights", token: admin, body: fight)
            #expect(start.status == 201)
        }
    }

    @Test func `a session with an old snapshot is found`() async throws {
        try await APIWorld.with { world in
            let other = Self.session(named: "a dump", on: world.uri)
            func isFound(olderThan age: Duration) async throws -> Bool {
                try await world.store.oldSnapshots(olderThan: age, limit: 10).contains { $0.application == "a dump" }
            }
            try await other.withConnection { connection in
                try await connection.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM shards LIMIT 1")
                #expect(try await isFound(olderThan: .zero))
                #expect(try await !isFound(olderThan: .seconds(3_600)))
                let oldest = try await world.store.oldSnapshots(olderThan: .zero, limit: 1).first?.obstruction
                let age = try #require(await world.store.oldestSnapshot())
                guard case .snapshot(let before)? = oldest else {
                    Issue.record("\(String(describing: oldest))")
                    return
                }
                #expect(age > before)
                try await connection.script("COMMIT")
            }
            #expect(try await !isFound(olderThan: .zero))
        }
    }

    @Test func `an internal error hides its cause, which is logged with the request's identifier`() async throws {
        // Without migrations, the missing table of tokens causes an internal error.
        try await APIWorld.with(migrated: false) { world in
            let token = "erp_" + String(repeating: "A", count: 43)
            let reply = try await world.client.send(
                "GET",
                "/v1/players/me",
                token: token,
                headers: ["X-Request-Id": "fault-1"]
            )
            #expect(reply.status == 500 && reply.slug == "internal-error")
            #expect(!reply.text.contains("player_tokens") && !reply.text.contains("42P01"))
            let line = try #require(world.logs.lines.first { $0.level == .error })
            #expect(line.metadata["request-id"] == "fault-1")
            #expect(line.metadata["error"]?.contains("42P01") == true)
        }
    }
}
