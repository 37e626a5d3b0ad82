import Foundation
import HTTPServing
import JSONCoding
import Testing

@testable import PartyAPI

/// `ETag`, `If-Match` and `If-None-Match` of parties.
@Suite struct PreconditionTests {
    @Test func `every response with a party has its version as ETag`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            func tag(_ method: String, _ path: String, _ player: TestPlayer, _ body: JSONValue? = nil) async throws
                -> JSONValue
            {
                let key = ["Idempotency-Key": "\(method) \(path)".replacing(" ", with: "-")]
                let reply = try await world.client.send(method, path, token: player.token, body: body, headers: key)
                let tag = #""\#(reply.json["version"].number.formatted())""#
                #expect(reply.header("ETag") == tag)
                return reply.json
            }
            let party = try await tag("POST", "/v1/parties", ada, ["name": "Tagged"])
            // The response of an idempotency record has the tag of its party.
            #expect(try await tag("POST", "/v1/parties", ada, ["name": "Tagged"]) == party)
            let path = "/v1/parties/\(party["partyID"].text)"
            _ = try await tag("GET", path, ada)
            _ = try await tag("POST", "/v1/parties/join", ben, ["inviteCode": party["inviteCode"]])
            _ = try await tag("POST", "\(path)/invite-code", ada)
            let last = try await world.client.send(
                "POST",
                "\(path)/leader",
                token: ada.token,
                body: ["playerID": .string(ben.id)]
            )
            #expect(last.json["version"] == 4 && last.header("ETag") == #""4""#)
        }
    }

    @Test func `a client with the current version gets 304 without a body`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let party = try await world.party(of: ada)
            func ask(_ tags: String, token: String) async throws -> Reply {
                let headers = ["If-None-Match": tags]
                return try await world.client.send("GET", "/v1/parties/\(party.id)", token: token, headers: headers)
            }
            for tags in [#""1""#, #"W/"1""#, #""7", "1""#, "*"] {
                let reply = try await ask(tags, token: ada.token)
                #expect(reply.status == 304 && reply.text.isEmpty && reply.header("ETag") == #""1""#)
                #expect(reply.header("Cache-Control") == "private, no-cache")
            }
            for tags in [#""2""#, #""01""#, #""x""#] {
                #expect(try await ask(tags, token: ada.token).json["version"] == 1)
            }
            #expect(try await ask(#""1""#, token: try await world.player("Eve").token).status == 404)
        }
    }

    @Test func `no write changes a party at an unexpected version`() async throws {
        try await APIWorld.with { world in
            let (ada, ben, eve) = (
                try await world.player("Ada"), try await world.player("Ben"), try await world.player("Eve")
            )
            let party = try await world.party(of: ada, ben)
            let path = "/v1/parties/\(party.id)"
            let writes: [(method: String, path: String, player: TestPlayer, body: JSONValue?, status: Int)] = [
                ("POST", "/v1/parties/join", eve, ["inviteCode": .string(party.inviteCode)], 200),
                ("DELETE", "\(path)/members/\(eve.id)", ada, nil, 204),
                ("POST", "\(path)/invite-code", ada, nil, 200),
                ("POST", "\(path)/leader", ada, ["playerID": .string(ben.id)], 200),
                ("POST", "\(path)/adventures", ben, ["kind": "journey", "region": "meadow"], 201),
            ]
            for (version, write) in zip(2..., writes) {
                func send(_ tags: String) async throws -> Reply {
                    try await world.client.send(
                        write.method,
                        write.path,
                        token: write.player.token,
                        body: write.body,
                        headers: ["If-Match": tags]
                    )
                }
                for tags in ["\"\(version - 1)\"", "W/\"\(version)\"", #""somebody's""#] {
                    let refused = try await send(tags)
                    #expect(refused.status == 412 && refused.slug == "party-changed")
                    #expect(refused.header("ETag") == "\"\(version)\"")
                    let now = try await world.client.send("GET", path, token: ada.token)
                    #expect(now.json["version"].number == Double(version))
                }
                #expect(try await send(version.isMultiple(of: 2) ? "\"\(version)\"" : "*").status == write.status)
            }
        }
    }

    @Test func `of two concurrent writes for the same version one succeeds`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let path = "/v1/parties/\(try await world.party(of: ada).id)/invite-code"
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await world.client.send("POST", path, token: ada.token, headers: ["If-Match": #""1""#])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.count { $0.status == 200 } == 1)
            #expect(replies.count { $0.slug == "party-changed" } == 7)
        }
    }

    @Test func `other refusals and idempotent results precede a version conflict`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ada, ben)
            let old = ["If-Match": #""1""#]
            let path = "/v1/parties/\(party.id)"
            let code = try await world.client.send("POST", "\(path)/invite-code", token: ben.token, headers: old)
            #expect(code.slug == "leader-only")
            let body: JSONValue = ["inviteCode": .string(party.inviteCode)]
            let again = try await world.client.send(
                "POST",
                "/v1/parties/join",
                token: ben.token,
                body: body,
                headers: old
            )
            #expect(again.status == 200 && again.json["version"] == 2)
        }
    }

    @Test func `a malformed list of tags is rejected by the header's name`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let path = "/v1/parties/\(try await world.party(of: ada).id)"
            for (method, path, header) in [("GET", path, "If-None-Match"), ("POST", "\(path)/invite-code", "If-Match")]
            {
                for tags in ["1", #""1"#, #""1" "2""#, #"*, "1""#, "W/1"] {
                    let headers = [header: tags]
                    let reply = try await world.client.send(method, path, token: ada.token, headers: headers)
                    #expect(reply.status == 422)
                    #expect(reply.fieldErrors == [header: #"must be * or a list of ETags, such as "7""#])
                }
            }
        }
    }

    @Test(
        arguments: [
            ("*", .any), (#""7""#, .versions([7])), (#" "7" ,"8""#, .versions([7, 8])), (#""7","#, .versions([7])),
            (#"W/"7""#, .versions([])),
            (#""-7""#, .versions([-7])), (#""07","+7","7 ","9223372036854775808""#, nil),
            (#""07","+7","9223372036854775808""#, .versions([])), ("", nil), (",", nil),
        ] as [(String, EntityTags?)]
    )
    func `tags are read as RFC 9110 writes them`(header: String, tags: EntityTags?) {
        #expect(EntityTags(header, allowsWeak: false) == tags)
    }
}
