import GameStore
import JSONCoding
import Testing

/// `POST /admin/v1/campaigns`.
@Suite struct CampaignTests {
    @Test func `a campaign continues at the next of the last response`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            var parties: Set<String> = []
            for _ in 0..<3 { parties.insert(try await world.party(of: try await world.player()).id) }
            func step(_ body: JSONValue, token: String = admin) async throws -> Reply {
                try await world.client.send("POST", "/admin/v1/campaigns", token: token, body: body)
            }
            let dry = try await step(["name": "may", "boss": "glitch", "dryRun": true])
            #expect(Set(dry.json["wouldStart"].array.map(\.text)) == parties && dry.json["parties"] == 3)

            let begin: JSONValue = [
                "name": "may", "boss": "glitch", "limit": 2, "run": "0198a1b2-0000-7000-8000-00000000abcd",
            ]
            let first = try await step(begin)
            #expect(first.json["started"].array.count == 2 && first.json["createdBy"] == "Olga")
            // A repeated step, as after a lost response.
            #expect(try await step(begin).json == first.json)
            let second = try await step(["name": "may", "boss": "glitch", "after": first.json["next"]])
            #expect(second.json["started"].array.count == 1 && second.json["next"] == .null)
            #expect(second.json["parties"] == .null)
            let whole = try await step(["name": "may", "boss": "glitch"])
            #expect(whole.json["started"].array.isEmpty && whole.json["alreadyStarted"] == 3)
            let earlierFights = whole.json["earlierFights"].array
            #expect(Set(earlierFights.map { $0["partyID"].text }) == parties)
            #expect(
                earlierFights.contains(first.json["started"][0]) && earlierFights.contains(second.json["started"][0])
            )

            let other = try await step(["name": "may", "boss": "cinderwing"])
            #expect(other.status == 409 && other.slug == "other-campaign")
            let wrong = try await step(["name": "May 1", "boss": "wolf", "limit": 0, "after": "7", "run": "1"])
            #expect(Set(wrong.fieldErrors.keys) == ["name", "boss", "limit", "after", "run"])
            let viewer = try await world.operatorToken(.viewer, name: "Vic")
            #expect(try await step(["name": "may", "boss": "glitch"], token: viewer).status == 403)
        }
    }
}
