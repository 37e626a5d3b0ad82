import GameStore
import JSONCoding
import TestSupport
import Testing

@Suite struct AccessLogTests {
    @Test func `each request is one line with method, route, status, time and identifier`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let party = try await world.party(of: ada)
            let headers = ["X-Request-Id": "line-1"]
            _ = try await world.client.send("GET", "/v1/parties/\(party.id)", token: ada.token, headers: headers)
            var line = try #require(world.logs.requests.first { $0["request-id"] == "line-1" })
            let milliseconds = line.removeValue(forKey: "milliseconds")
            #expect(milliseconds.flatMap { Int($0) } != nil)
            let expected = ["method": "GET", "route": "/v1/parties/{partyID}", "status": "200", "request-id": "line-1"]
            #expect(line == expected)
        }
    }

    @Test func `a line about an adventure has its identifier`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let id = try await world.journey(try await world.party(of: ada), by: ada)
            for (path, line) in [("\(id)", "line-1"), ("\(id)/events?limit=1", "line-2"), ("nonsense", "line-3")] {
                let headers = ["X-Request-Id": line]
                _ = try await world.client.send("GET", "/v1/adventures/\(path)", token: ada.token, headers: headers)
            }
            let adventures = ["line-1", "line-2", "line-3"].map { line in
                world.logs.requests.first { $0["request-id"] == line }?["adventure"]
            }
            #expect(adventures == [id, id, nil])
        }
    }

    @Test func `a line about an operator's request has the operator's name, and never the token`() async throws {
        try await APIWorld.with { world in
            let viewer = try await world.operatorToken(.viewer, name: "vera")
            let nobody = "ero_" + String(repeating: "A", count: 43)
            for (method, path, token, line) in [
                ("GET", "/admin/v1/bosses", viewer, "line-1"), ("POST", "/admin/v1/pushes", viewer, "line-2"),
                ("GET", "/admin/v1/bosses", nobody, "line-3"),
            ] {
                _ = try await world.client.send(method, path, token: token, headers: ["X-Request-Id": line])
            }
            let operators = ["line-1", "line-2", "line-3"].map { line in
                world.logs.requests.first { $0["request-id"] == line }?["operator"]
            }
            #expect(operators == ["vera", "vera", nil])
            let everything = world.logs.lines.flatMap { [$0.message] + $0.metadata.values }.joined(separator: "\n")
            #expect(!everything.contains(viewer))
        }
    }

    @Test func `no line contains a token, a code or a name`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada Lovelace")
            let party = try await world.party(of: ada)
            let id = try await world.journey(party, by: ada)
            let pushToken = "5f1d4c0a77ee"
            _ = try await world.client.send(
                "PUT",
                "/v1/adventures/\(id)/activities/0198a1b2-c3d4-7000-8000-00000000abcd",
                token: ada.token,
                body: [
                    "deviceID": .string(ada.id), "pushToken": .string(pushToken), "environment": "sandbox",
                    "frequentPushesEnabled": true,
                ]
            )
            _ = try await world.client.send("GET", "/v1/nowhere?token=\(ada.token)", token: ada.token)
            let everything = world.logs.lines.flatMap { [$0.message] + $0.metadata.values }.joined(separator: "\n")
            #expect(world.logs.requests.count == 5)
            for secret in [ada.token, pushToken, party.inviteCode, "Lovelace", ada.id] {
                #expect(!everything.contains(secret))
            }
        }
    }
}
