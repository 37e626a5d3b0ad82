import Encodings
import GameCore
import GameLog
import GameStore
import PushDispatch

/// The response to `GET /v1/players/me/export`: a page of all stored data of a player, and no data of others.
///
/// Profile and tokens are on every page; the lists go on from page to page.
struct PlayerExport: Encodable {
    struct Profile: Encodable {
        let playerID: PlayerID
        let displayName: String
        let hero: HeroView
        let registeredAt: String
    }

    /// A bearer token.
    ///
    /// The server stores only its SHA-256, which the export omits.
    struct Token: Encodable {
        let issuedAt: String
    }

    struct PushToStart: Encodable {
        struct Start: Encodable {
            let adventureID: AdventureID
            let at: String
        }

        /// The token in hexadecimal; nil if it was deleted.
        let pushToken: String?
        let environment: PushEnvironment
        let frequentPushesEnabled: Bool
        let starts: [Start]
    }

    /// A current or former party of the player.
    struct PartyEntry: Encodable {
        let partyID: PartyID
        let isMember: Bool
        let name: String?
        let isLeader: Bool?
        let displayName: String?
        let hero: HeroView?
        let experience: Int?
        let joinedAt: String?
    }

    /// An adventure in which the player had a hero.
    struct AdventureEntry: Encodable {
        struct PlayedInputView: Encodable {
            let at: String
            let input: AdventureInput
        }

        let adventureID: AdventureID
        let partyID: PartyID
        let kind: AdventureKind
        let startedAt: String
        let endedAt: String?
        let heroInPlay: HeroInPlayView
        /// The inputs of the player.
        let inputs: [PlayedInputView]
    }

    /// A Live Activity on one of the player's devices.
    struct ActivityEntry: Encodable {
        let activityID: ActivityID
        let adventureID: AdventureID
        let state: String
        /// The token in hexadecimal.
        let pushToken: String
        let environment: PushEnvironment
        let frequentPushesEnabled: Bool
        let locale: String?
        let registeredAt: String
        let tokenRegisteredAt: String
        /// The most recent decision records, oldest first.
        let decisions: [DecisionView]
    }

    struct KeyEntry: Encodable {
        let key: String
        let status: Int
        let at: String
    }

    let exportedAt: String
    let player: Profile
    let tokens: [Token]
    let pushToStart: PushToStart?
    let parties: [PartyEntry]
    let adventures: [AdventureEntry]
    /// The adventures of the player's parties that this release cannot decode.
    let unreadableAdventures: [AdventureID]
    let activities: [ActivityEntry]
    let idempotencyKeys: [KeyEntry]

    /// The cursor of the next page; nil on the last one.
    let next: String?

    /// Reads a page of a player's data; nil if the player does not exist.
    init?(of playerID: PlayerID, after cursor: ExportCursor?, from store: GameStore, at now: Timestamp) async throws {
        guard
            let player = try await store.player(playerID),
            let registeredAt = try await store.registrationTime(of: playerID)
        else {
            return nil
        }
        var reader = PlayerExportReader(of: playerID, from: store, at: cursor ?? .first)
        try await reader.read()
        exportedAt = now.rfc3339
        self.player = Profile(
            playerID: playerID,
            displayName: player.displayName,
            hero: HeroView(player.hero, level: 1),
            registeredAt: registeredAt.rfc3339
        )
        tokens = try await store.tokenTimes(of: playerID).map { Token(issuedAt: $0.rfc3339) }
        pushToStart = try await store.storedPushToStart(of: playerID).map(PushToStart.init)
        parties = reader.parties
        adventures = reader.adventures
        unreadableAdventures = reader.unreadableAdventures
        activities = reader.activities
        idempotencyKeys = reader.idempotencyKeys
        next = reader.next?.text
    }
}

extension PlayerExport.AdventureEntry {
    /// Reads an adventure; nil if the player has no hero in it.
    init?(_ id: AdventureID, with playerID: PlayerID, from store: GameStore) async throws {
        guard
            let stored = try await store.adventure(id),
            let seat = stored.adventure.heroes.firstIndex(where: { $0.playerID == playerID })
        else { return nil }
        let inputs = try await store.inputs(of: id).filter { $0.input.concerns(playerID) }
        self.init(
            adventureID: id,
            partyID: stored.partyID,
            kind: stored.adventure.kind,
            startedAt: stored.startedAt.rfc3339,
            endedAt: stored.endedAt?.rfc3339,
            heroInPlay: HeroInPlayView(stored.adventure.heroes[seat], seat: Seat(rawValue: seat)),
            inputs: inputs.map { .init(at: $0.at.rfc3339, input: $0.input) }
        )
    }
}

extension PlayerExport.PartyEntry {
    init(_ partyID: PartyID, _ party: Party?, _ playerID: PlayerID) {
        let member = party?.member(playerID)
        self.init(
            partyID: partyID,
            isMember: member != nil,
            name: member == nil ? nil : party?.name,
            isLeader: member.map { $0.playerID == party?.leaderID },
            displayName: member?.displayName,
            hero: member.map { HeroView($0.hero, level: $0.level) },
            experience: member?.experience,
            joinedAt: member?.joinedAt.rfc3339
        )
    }
}

extension PlayerExport.PushToStart {
    init(_ kept: StoredPushToStart) {
        self.init(
            pushToken: kept.pushToken?.hexadecimal,
            environment: kept.environment,
            frequentPushesEnabled: kept.frequentPushesEnabled,
            starts: kept.starts.map { Start(adventureID: $0.adventureID, at: $0.at.rfc3339) }
        )
    }
}

extension PlayerExport.ActivityEntry {
    init(_ activity: Activity, decisions: [UInt8]?) {
        self.init(
            activityID: activity.id,
            adventureID: activity.adventureID,
            state: activity.state.rawValue,
            pushToken: activity.pushToken.hexadecimal,
            environment: activity.environment,
            frequentPushesEnabled: activity.frequentPushesEnabled,
            locale: activity.locale,
            registeredAt: activity.registeredAt.rfc3339,
            tokenRegisteredAt: activity.tokenRegisteredAt.rfc3339,
            decisions: decisions.map { DecisionLog(encoded: $0).records.map(DecisionView.init) } ?? []
        )
    }
}

extension AdventureInput {
    /// Returns whether a player gave the input, or it concerns the player's hero.
    fileprivate func concerns(_ playerID: PlayerID) -> Bool {
        switch self {
        case .command(_, by: let player), .leave(let player): player == playerID
        case .join(let hero): hero.playerID == playerID
        case .start, .tick, .end: false
        }
    }
}
