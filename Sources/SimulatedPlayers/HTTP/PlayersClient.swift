import Foundation
import GameCore

/// The players' REST, on behalf of one player.
struct PlayersClient: Sendable {
    private let http: JSONClient

    private init(_ http: JSONClient) {
        self.http = http
    }

    /// Registers a player.
    /// - Returns: the player's name for the server, and a client that speaks for the player.
    static func register(
        _ displayName: String,
        playing hero: HeroID,
        at server: URL,
        patience: Duration
    ) async throws -> (PlayerID, PlayersClient) {
        struct NewPlayer: Encodable {
            let displayName: String
            let hero: HeroID
        }
        var http = JSONClient(server: server, patience: patience)
        let body = NewPlayer(displayName: displayName, hero: hero)
        let player: RegisteredPlayer = try await http.send("POST", "v1/players", body: body)
        http.token = player.token
        return (player.playerID, PlayersClient(http))
    }

    func createParty(named name: String) async throws -> PartyAnswer {
        try await http.send("POST", "v1/parties", body: ["name": name])
    }

    func join(_ inviteCode: String) async throws -> PartyAnswer {
        try await http.send("POST", "v1/parties/join", body: ["inviteCode": inviteCode])
    }

    func startJourney(of party: PartyID, in region: RegionID) async throws -> AdventureAnswer {
        let body = ["kind": AdventureKind.journey.rawValue, "region": region.rawValue]
        return try await http.send("POST", "v1/parties/\(party)/adventures", body: body)
    }

    func adventure(_ id: AdventureID) async throws -> AdventureAnswer {
        try await http.get("v1/adventures/\(id)")
    }

    /// Every event of an adventure after one, however many pages that takes.
    func events(of id: AdventureID, after sequence: Int) async throws -> [StoryEvent] {
        var events: [StoryEvent] = []
        var next: Int? = sequence
        while let after = next {
            let query = [URLQueryItem(name: "after", value: "\(after)")]
            let page: EventPage = try await http.get("v1/adventures/\(id)/events", query: query)
            events += page.events
            next = page.next
        }
        return events
    }

    /// Asks for something in an adventure.
    /// - Returns: whether the game let it happen; what comes a moment too late is refused.
    @discardableResult
    func run(_ command: Command, in id: AdventureID) async throws -> Bool {
        struct Outcome: Decodable {}
        do {
            let _: Outcome = try await http.send("POST", "v1/adventures/\(id)/commands", body: command)
            return true
        } catch ClientError.refused(let refused) where Self.comesTooLate.contains(refused.slug) {
            return false
        }
    }

    /// What the game answers when it has moved on between the player's look and the player's command.
    private static let comesTooLate = Set(
        [Refusal.notYourTurn, .heroDown, .noPotionsLeft, .targetUnhurt, .targetNotDown, .onCooldown, .adventureOver]
            .map(\.slug)
    )

    func register(
        _ activityID: ActivityID,
        of adventureID: AdventureID,
        pushToken: String,
        frequentPushesEnabled: Bool,
        locale: String
    ) async throws -> RegisteredActivity {
        struct Registration: Encodable {
            let pushToken: String
            let environment: String
            let frequentPushesEnabled: Bool
            let locale: String
        }
        let body = Registration(
            pushToken: pushToken,
            environment: "simulator",
            frequentPushesEnabled: frequentPushesEnabled,
            locale: locale
        )
        return try await http.send("PUT", "v1/adventures/\(adventureID)/activities/\(activityID)", body: body)
    }
}
