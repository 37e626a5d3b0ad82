import Encodings
import Foundation
import GameCore
import GameLog
import GameStore

/// Finds players by what an operator knows of them.
///
/// Each kind of search is one statement: by primary key, or along one index over all shards.
struct PlayerSearch {
    /// What led to a player.
    enum Match: String, Encodable {
        case player
        case name
        case device
        case inviteCode
        case adventure
        case activity
    }

    /// The maximum number of players by name, and by device.
    private let limit: Int
    private var matches: [PlayerID: [Match]] = [:]
    /// The players found, each once, in the order of the searches.
    private(set) var playerIDs: [PlayerID] = []
    /// Whether there are more players with the name or the device.
    private(set) var hasMore = false

    init(limit: Int) { self.limit = limit }

    /// Returns what led to a player.
    func matches(of playerID: PlayerID) -> [Match] { matches[playerID, default: []] }

    /// Looks for the player, the device, the heroes of the adventure and the activity with an identifier.
    mutating func run(for id: UUID, in store: GameStore) async throws {
        add([PlayerID(rawValue: id)], .player)
        add(try await store.players(withDevice: DeviceID(rawValue: id), limit: limit + 1), .device)
        let adventure = try await store.adventure(AdventureID(rawValue: id))?.adventure
        add(adventure?.heroes.map(\.playerID) ?? [], .adventure)
        add(try await store.activities(named: ActivityID(rawValue: id)).map(\.playerID), .activity)
    }

    /// Looks for the members of the party with an invite code, and players whose name begins with a text.
    mutating func run(for text: Name, in store: GameStore) async throws {
        if let partyID = try await OperatorAdventureRoutes.partyID(ofTyped: text.text, in: store) {
            add(try await store.party(partyID)?.members.map(\.playerID) ?? [], .inviteCode)
        }
        add(try await store.players(withNamePrefix: text, limit: limit + 1), .name)
    }

    private mutating func add(_ ids: [PlayerID], _ match: Match) {
        hasMore = hasMore || ids.count > limit
        for id in ids.prefix(limit) {
            if matches[id] == nil { playerIDs.append(id) }
            if !matches[id, default: []].contains(match) { matches[id, default: []].append(match) }
        }
    }
}

/// The response to `GET /admin/v1/players`.
struct PlayerSearchView: Encodable {
    struct Entry: Encodable {
        let playerID: PlayerID
        let displayName: String
        let hero: HeroView
        let registeredAt: String
        let foundBy: [PlayerSearch.Match]
    }

    let players: [Entry]
    let more: Bool

    /// Creates the view of a search, without erased players.
    init(_ search: PlayerSearch, _ players: [PlayerID: PlayerSummary]) {
        self.players = search.playerIDs.compactMap { players[$0] }.map { player in
            Entry(
                playerID: player.id,
                displayName: player.displayName,
                hero: HeroView(player.hero, level: Hero.level(forExperience: player.experience)),
                registeredAt: player.registeredAt.rfc3339,
                foundBy: search.matches(of: player.id)
            )
        }
        more = search.hasMore
    }
}

/// The response to `GET /admin/v1/players/{playerID}`.
struct PlayerDetailView: Encodable {
    let playerID: PlayerID
    let displayName: String
    let hero: HeroView
    let namedInLeaderboards: Bool
    let version: Int64
    let experience: Int
    let bossesDefeated: Int
    let registeredAt: String
    /// The number of valid tokens.
    let tokens: Int
    /// The parties, each with its running adventure.
    let parties: [PartyPageView.Entry]
    let devices: [DeviceView]
    /// The live activities.
    let activities: [ActivityView]

    init(
        _ player: Player,
        registeredAt: Timestamp,
        tokens: Int,
        parties: [PartySummary],
        devices: [DeviceView],
        activities: [Activity]
    ) {
        playerID = player.id
        displayName = player.displayName
        hero = HeroView(player.hero, level: Hero.level(forExperience: player.progress.experience))
        namedInLeaderboards = player.isNamedInLeaderboards
        version = player.version
        experience = player.progress.experience
        bossesDefeated = player.progress.bossesDefeated
        self.registeredAt = registeredAt.rfc3339
        self.tokens = tokens
        self.parties = parties.map(PartyPageView.Entry.init)
        self.devices = devices
        self.activities = activities.map(ActivityView.init)
    }
}
