import Foundation
import GameCore
import GameLog
import GameStore
import GameTestSupport
import JSONCoding
import PartyAPI
import PostgresClient
import ServiceLifecycle
import TestSupport
import Testing

@Suite struct StreamTests {
    /// Returns the sequence numbers of some events.
    private func sequences(_ events: [JSONValue]) -> [Int] { events.map { Int($0["sequence"].number) } }

    /// Plays a journey to its end.
    private func play(_ journey: String, in world: APIWorld, by player: TestPlayer) async throws {
        for _ in 0..<100 {
            try await world.pass(.seconds(10))
            let path = "/v1/adventures/\(journey)"
            guard try await world.client.send("GET", path, token: player.token).json["status"] == "running" else {
                return
            }
        }
        Issue.record("the journey goes on and on")
    }

    @Test func `a stream has past and future events, each once, and ends with the adventure`()
        async throws
    {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let journey = try await world.journey(try await world.party(of: ada), by: ada)
            let received = try await world.stream(journey, ada) { stream in
                #expect(stream.status == 200)
                #expect(stream.header("Content-Type") == ["text/event-stream"])
                #expect(stream.header("Cache-Control") == ["no-store"])
                #expect(stream.header("X-Accel-Buffering") == ["no"])
                #expect(try await stream.next() == .retry(milliseconds: 2_000))
                let first = try await stream.events(through: 1)
                #expect(first.events.first?["kind"] == "adventureStarted")
                try await play(journey, in: world, by: ada)
                let rest = try await stream.events()
                #expect(rest.end == "adventureOver")
                #expect(try await stream.next() == nil)
                return first.events + rest.events
            }
            let page = try await world.client.send(
                "GET",
                "/v1/adventures/\(journey)/events?limit=1000",
                token: ada.token
            )
            #expect(received == page.json["events"].array)
            #expect(received.last?["kind"] == "adventureEnded")

            // Resuming after the end of the adventure.
            let late = try await world.stream(journey, ada, lastEventID: received.count - 1) { try await $0.events() }
            #expect(sequences(late.events) == [received.count] && late.end == "adventureOver")
            #expect(try await world.stream(journey, ada, lastEventID: received.count) { $0.status } == 204)
        }
    }

    @Test func `a client that reconnects to another node gets each event once`() async throws {
        try await APIWorld.with { first in
            let ada = try await first.player()
            let journey = try await first.journey(try await first.party(of: ada), by: ada)
            let before = try await first.stream(journey, ada) { stream in
                try await first.pass(.seconds(30))
                return try await stream.events(through: 2).events
            }
            try await first.pass(.seconds(30))
            try await APIWorld.with(uri: first.uri) { second in
                let after = try await second.stream(journey, ada, lastEventID: before.count) { stream in
                    try await play(journey, in: first, by: ada)
                    return try await stream.events()
                }
                let all = sequences(before + after.events)
                #expect(all == Array(1...all.count))
                #expect(after.end == "adventureOver")
            }
        }
    }

    @Test func `a player's streams are limited, and the end of one frees its slot`() async throws {
        let streams = StreamSettings(heartbeatInterval: .milliseconds(20), maxStreamsPerPlayer: 2)
        try await APIWorld.with(streams: streams) { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let journey = try await world.journey(try await world.party(of: ada, ben), by: ada)
            try await world.stream(journey, ada) { first in
                _ = try await first.events(through: 1)
                try await world.stream(journey, ada) { second in
                    _ = try await second.events(through: 1)
                    let path = "/v1/adventures/\(journey)/stream"
                    let third = try await world.client.send("GET", path, token: ada.token)
                    #expect(third.status == 429 && third.slug == "too-many-requests")
                    #expect(try await world.stream(journey, ben) { $0.status } == 200)
                }
                // The server detects a closed connection only when it writes to it.
                while try await world.stream(journey, ada, { $0.status }) == 429 {}
            }
        }
    }

    @Test func `a stream after a future sequence has the coming events, and ends`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let journey = try await world.journey(try await world.party(of: ada), by: ada)
            let newest = try await world.sequence(of: journey)
            let received = try await world.stream(journey, ada, lastEventID: 99_999) { stream in
                try await play(journey, in: world, by: ada)
                return try await stream.events()
            }
            #expect(received.end == "adventureOver")
            #expect(sequences(received.events) == Array(newest + 1...newest + received.events.count))
        }
    }

    @Test func `streams that begin during many events miss none`() async throws {
        try await APIWorld.with(streams: StreamSettings(maxStreamsPerPlayer: 100)) { world in
            let ada = try await world.player()
            let journey = try await world.journey(try await world.party(of: ada), by: ada)
            let received = try await withThrowingTaskGroup(of: [Int].self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        sequences(try await world.stream(journey, ada) { try await $0.events() }.events)
                    }
                    try await world.pass(.seconds(5))
                }
                try await play(journey, in: world, by: ada)
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let newest = try await world.sequence(of: journey)
            #expect(received.count == 40)
            #expect(received.allSatisfy { $0 == Array(1...newest) })
        }
    }

    @Test func `ticks and the inputs between them arrive in order, at two nodes`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let fight = try await world.bossFight(try await world.party(of: ada, ben))
            let path = "/v1/adventures/\(fight)"
            /// Returns whether the fight goes on.
            @Sendable func attack() async throws -> Bool {
                let state = try await world.client.send("GET", path, token: ada.token).json
                guard state["status"] == "running" else { return false }
                guard let seat = state["turn"]["seat"].integer else { return true }
                _ = try await world.client.send(
                    "POST",
                    "\(path)/commands",
                    token: [ada, ben][seat].token,
                    body: ["type": "attack"]
                )
                return true
            }
            try await APIWorld.with(uri: world.uri) { other in
                let streams = try await withThrowingTaskGroup(of: [JSONValue].self) { group in
                    for (node, player) in [(world, ada), (other, ben)] {
                        group.addTask { try await node.stream(fight, player) { try await $0.events().events } }
                    }
                    while try await attack() { try await world.pass(.seconds(35)) }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let page = try await world.client.send("GET", "\(path)/events?limit=1000", token: ada.token)
                #expect(streams.allSatisfy { $0 == page.json["events"].array })
                #expect(page.json["events"].array.last?["kind"] == "adventureEnded")
            }
        }
    }

    @Test func `only what the committed clock has passed is shown`() async throws {
        let streams = StreamSettings(pollInterval: .milliseconds(10), heartbeatInterval: .milliseconds(50))
        try await APIWorld.with(streams: streams) { world in
            let ada = try await world.player()
            let journey = try await world.journey(try await world.party(of: ada), by: ada)
            let newest = try await world.sequence(of: journey)
            try await world.stream(journey, ada) { stream in
                _ = try await stream.events(through: newest)
                world.clock.advance(by: .seconds(25))
                #expect(try await stream.next() == .comment)
                #expect(try await stream.next() == .comment)
                #expect(try await world.sequence(of: journey) == newest)
                try await world.pass(.zero)
                let now = try await world.sequence(of: journey)
                try #require(now > newest)
                let received = try await stream.events(through: now).events
                #expect(sequences(received) == Array(newest + 1...now))
            }
        }
    }

    @Test func `an outage postpones the next turn of a streamed fight`() async throws {
        try await APIWorld.with(outageLimit: .seconds(2)) { world in
            let ada = try await world.player()
            let fight = try await world.bossFight(try await world.party(of: ada))
            let before = try await world.sequence(of: fight)
            try await world.stream(fight, ada) { stream in
                _ = try await stream.events(through: before)
                // 13.5 of the 15 seconds of the turn, with an outage of a minute between them.
                for step in 0..<9 {
                    if step == 4 { try await world.pass(.seconds(60)) }
                    try await world.pass(.milliseconds(1_500))
                }
                #expect(try await world.sequence(of: fight) == before)
                try await world.pass(.milliseconds(1_600))
                let after = try await world.sequence(of: fight)
                try #require(after > before)
                let received = try await stream.events(through: after).events
                #expect(sequences(received) == Array(before + 1...after))
                let page = try await world.client.send(
                    "GET",
                    "/v1/adventures/\(fight)/events?after=\(before)",
                    token: ada.token
                )
                #expect(received == page.json["events"].array)
            }
        }
    }

    @Test func `a stream ends without a reason when the log has forked, and is resumed`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let journey = try await world.journey(try await world.party(of: ada), by: ada)
            let read = try await world.stream(journey, ada) { stream in
                try await world.pass(.seconds(10))
                let newest = try await world.sequence(of: journey)
                _ = try await stream.events(through: newest)
                // As after a failover that lost a commit: the same position, but another entry.
                let fork = Statement("test.fork", "UPDATE shards SET digest = digest + 1")
                _ = try await world.pool.query(PostgresQuery(fork))
                while let item = try await stream.next() {
                    if case .named(let name, _) = item { Issue.record("the stream ends with \(name)") }
                }
                return newest
            }
            try await world.stream(journey, ada, lastEventID: read) { stream in
                try await play(journey, in: world, by: ada)
                let rest = try await stream.events()
                #expect(sequences(rest.events).first == read + 1 && rest.end == "adventureOver")
            }
        }
    }

    @Test func `a client whose last event the database has lost gets all events anew`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let journey = try await world.journey(try await world.party(of: ada), by: ada)
            try await world.pass(.seconds(30))
            let newest = try await world.sequence(of: journey)
            let known = try await world.stream(journey, ada) { stream in
                _ = try await stream.events(through: newest - 1)
                return stream.lastEventID
            }
            #expect(known.hasPrefix("\(newest - 1)-") && known.count == "\(newest)-01234567".count)
            /// The events after another event, and whether they begin with a reset.
            @Sendable func resume(after id: String) async throws -> (isReset: Bool, sequences: [Int]) {
                try await world.stream(journey, ada, lastEventID: id) { stream in
                    #expect(try await stream.next() == .retry(milliseconds: 2_000))
                    switch try await stream.next() {
                    case .named("reset", _):
                        #expect(stream.lastEventID == "0")
                        return (true, sequences(try await stream.events(through: newest).events))
                    case .event(let id, _):
                        let rest = id < newest ? sequences(try await stream.events(through: newest).events) : []
                        return (false, [id] + rest)
                    case let other:
                        Issue.record("\(String(describing: other))")
                        return (false, [])
                    }
                }
            }
            #expect(try await resume(after: known) == (false, [newest]))
            // Another event with this sequence, and one that does not exist.
            #expect(try await resume(after: "\(newest - 1)-00000000") == (true, Array(1...newest)))
            #expect(try await resume(after: "\(newest + 9)\(known.drop { $0 != "-" })") == (true, Array(1...newest)))

            try await play(journey, in: world, by: ada)
            let (last, end) = try await world.stream(journey, ada, lastEventID: known) { stream in
                (try await stream.events().end, stream.lastEventID)
            }
            #expect(last == "adventureOver")
            #expect(try await world.stream(journey, ada, lastEventID: end) { $0.status } == 204)
            let count = try await world.sequence(of: journey)
            let again = try await world.stream(journey, ada, lastEventID: "\(count)-00000000") { try await $0.events() }
            #expect(sequences(again.events) == Array(1...count) && again.end == "adventureOver")
        }
    }

    @Test func `the streams of an adventure that cannot be played any further end`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ada)
            let journey = try await world.journey(party, by: ada)
            try await world.stream(journey, ada) { stream in
                _ = try await stream.events(through: 1)
                let damage = Statement(
                    "test.damage",
                    "UPDATE adventures SET opening = replace(opening, 'rules', 'ruins')"
                )
                _ = try await world.pool.query(PostgresQuery(damage))
                _ = try await world.join(party, ben)
                let admin = try await world.operatorToken(.admin)
                _ = try await world.client.send("POST", "/admin/v1/adventures/\(journey)/end", token: admin)
                #expect(try await stream.events().end == nil)
            }
        }
    }

    @Test func `a client that reads too slowly is disconnected, and can resume`() async throws {
        // All events of a journey at once are more than the buffer holds, unless the client is as fast as the server:
        // then there is another journey.
        let streams = StreamSettings(pollInterval: .milliseconds(10), maxBufferedFrames: 1)
        try await APIWorld.with(streams: streams) { world in
            let ada = try await world.player()
            let party = try await world.party(of: ada)
            while true {
                let journey = try await world.journey(party, by: ada)
                let read = try await world.stream(journey, ada) { stream in
                    _ = try await stream.events(through: 1)
                    try await world.pass(.seconds(3_600))
                    var last = 1
                    do {
                        while case .event(let id, _) = try await stream.next() {
                            #expect(id == last + 1)
                            last = id
                        }
                    } catch {
                        // The server closes the connection in the middle of the response, as expected.
                    }
                    return last
                }
                let newest = try await world.sequence(of: journey)
                guard read < newest else { continue }
                let rest = try await world.stream(journey, ada, lastEventID: read) { try await $0.events() }
                #expect(sequences(rest.events) == Array(read + 1...newest) && rest.end == "adventureOver")
                return
            }
        }
    }

    @Test func `the stream of a player who leaves the party ends, and others continue`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ada, ben)
            let journey = try await world.journey(party, by: ada)
            try await world.stream(journey, ada) { others in
                try await world.stream(journey, ben) { stream in
                    _ = try await stream.events(through: 1)
                    let path = "/v1/parties/\(party.id)/members/\(ben.id)"
                    #expect(try await world.client.send("DELETE", path, token: ben.token).status == 204)
                    #expect(try await stream.events().end == "membershipEnded")
                }
                try await world.pass(.seconds(10))
                let newest = try await world.sequence(of: journey)
                let received = try await others.events(through: newest)
                #expect(sequences(received.events) == Array(1...newest))
            }
            #expect(try await world.stream(journey, ben) { $0.status } == 404)
        }
    }

    @Test func `the stream of a member without a seat ends after leaving`() async throws {
        let streams = StreamSettings(pollInterval: .milliseconds(10), checkInterval: .milliseconds(50))
        try await APIWorld.with(streams: streams) { world in
            var players: [TestPlayer] = []
            for number in 1...8 { players.append(try await world.player("Player \(number)")) }
            let party = try await world.party(of: players)
            let journey = try await world.journey(party, by: players[0])
            let members = "/v1/parties/\(party.id)/members"
            _ = try await world.client.send("DELETE", "\(members)/\(players[7].id)", token: players[7].token)
            let late = try await world.player("Late")
            _ = try await world.join(party, late)
            try await world.stream(journey, late) { stream in
                _ = try await stream.events(through: 1)
                _ = try await world.client.send("DELETE", "\(members)/\(late.id)", token: late.token)
                #expect(try await stream.events().end == "membershipEnded")
            }
        }
    }

    @Test func `a quiet stream gets comments`() async throws {
        let streams = StreamSettings(pollInterval: .milliseconds(10), heartbeatInterval: .milliseconds(50))
        try await APIWorld.with(streams: streams) { world in
            let ada = try await world.player()
            let journey = try await world.journey(try await world.party(of: ada), by: ada)
            try await world.stream(journey, ada) { stream in
                let newest = try await world.sequence(of: journey)
                _ = try await stream.events(through: newest)
                #expect(try await stream.next() == .comment)
                #expect(try await stream.next() == .comment)
            }
        }
    }

    @Test func `a server that shuts down ends its streams with a reason`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let journey = try await world.journey(try await world.party(of: ada), by: ada)
            try await world.stream(journey, ada) { stream in
                _ = try await stream.events(through: 1)
                await world.server.triggerGracefulShutdown()
                #expect(try await stream.events().end == "serverStopping")
                #expect(try await stream.next() == nil)
            }
        }
    }

    @Test func `a stream ends when its token is revoked`() async throws {
        let streams = StreamSettings(pollInterval: .milliseconds(10), checkInterval: .milliseconds(50))
        try await APIWorld.with(streams: streams) { world in
            let ada = try await world.player()
            let journey = try await world.journey(try await world.party(of: ada), by: ada)
            try await world.stream(journey, ada) { stream in
                _ = try await stream.events(through: 1)
                _ = try await world.client.send("DELETE", "/v1/players/me/token", token: ada.token)
                #expect(try await stream.events().end == "tokenRevoked")
            }
        }
    }

    @Test func `a stream requires membership and valid parameters`() async throws {
        try await APIWorld.with { world in
            let (ada, eve) = (try await world.player("Ada"), try await world.player("Eve"))
            let journey = try await world.journey(try await world.party(of: ada), by: ada)
            let path = "/v1/adventures/\(journey)/stream"
            #expect(try await world.client.send("GET", path).slug == "missing-token")
            let stranger = try await world.client.send("GET", path, token: eve.token)
            let nowhere = "/v1/adventures/0198a1b2-0000-7000-8000-000000000001/stream"
            let nothing = try await world.client.send("GET", nowhere, token: eve.token)
            #expect(stranger.status == 404 && stranger.text == nothing.text)
            for wrong in ["-1", "x", "1.5", "99999999999999999999"] {
                let headers = ["Last-Event-ID": wrong]
                let reply = try await world.client.send("GET", path, token: ada.token, headers: headers)
                #expect(reply.status == 422 && reply.fieldErrors.keys.contains("Last-Event-ID"))
            }
            let after = try await world.client.send("GET", "\(path)?after=-1", token: ada.token)
            #expect(after.status == 422 && after.fieldErrors.keys.contains("after"))
            #expect(try await world.client.send("HEAD", path, token: ada.token).status == 200)
            #expect(try await world.client.send("POST", path, token: ada.token).header("Allow") == "GET, HEAD")
        }
    }
}

extension APIWorld {
    /// Returns the sequence number of an adventure's newest event.
    func sequence(of adventureID: String) async throws -> Int {
        let id = try #require(AdventureID(adventureID))
        return try #require(try await store.adventure(id)).adventure.sequence
    }
}
