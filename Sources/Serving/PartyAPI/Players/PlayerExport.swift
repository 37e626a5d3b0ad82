import Encodings
import GameCore
import GameLog
import GameStore
import PushDispatch

/// The response to `GET /v1/players/me/export`: a page of all stored data of a player, and no data of others.
///
/// Profile, tokens and scores are on every page; the lists go on from page to page.
struct PlayerExport: Encodable {
    struct Profile: Encodable {
        let playerID: PlayerID
        let displayName: String
        let hero: HeroView
        let namedInLeaderboards: Bool
        let experience: Int
        let bossesDefeated: Int
        let registeredAt: String
    }

    /// A score in a leaderboard.
    struct Score: Encodable {
        let board: Leaderboard
        let period: LeaderboardPeriod
        let endsAt: String
        let score: Int
    }

    /// A bearer token.
    ///
    /// The server stores only its SHA-256, which the export omits.
    struct Token: Encodable {
        let issuedAt: String
        /// The last use, to a day; nil for a token that was never used.
        let lastUsedAt: String?
    }

    /// A recovery code.
    ///
    /// The server stores only its SHA-256, which the export omits.
    struct IssuedRecoveryCode: Encodable {
        let issuedAt: String
    }

    /// The Apple account that the player has linked.
    ///
    /// The server stores only its SHA-256, which the export omits.
    struct LinkedAppleAccount: Encodable {
        let linkedAt: String
    }

    struct DeviceEntry: Encodable {
        struct Start: Encodable {
            /// What the activity shows: an adventure, or a raid.
            let adventureID: AdventureID?
            var raidID: RaidID?
            let at: String
        }

        let deviceID: DeviceID
        let environment: PushEnvironment
        let locale: String?
        let appBuild: String?
        let liveActivitiesEnabled: Bool
        let frequentPushesEnabled: Bool
        let followsRaids: Bool
        /// The tokens in hexadecimal; nil without one.
        let pushToStartToken: String?
        let alertToken: String?
        let widgetToken: String?
        let alerts: AlertPreferences
        let starts: [Start]
        /// The ordinary alerts of the last hour.
        let sentAlerts: [Start]
        let registeredAt: String
        let updatedAt: String
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
        let deviceID: DeviceID
        let state: String
        /// The token in hexadecimal.
        let pushToken: String
        let environment: PushEnvironment
        let frequentPushesEnabled: Bool
        let locale: String?
        let registeredAt: String
        let startsAt: String?
        let tokenRegisteredAt: String
        /// The most recent decision records, oldest first.
        let decisions: [DecisionView]
        /// What the device has reported about it.
        let receipts: ReceiptsView?
    }

    struct KeyEntry: Encodable {
        let key: String
        let status: Int
        let at: String
    }

    let exportedAt: String
    let player: Profile
    let tokens: [Token]
    let recoveryCodes: [IssuedRecoveryCode]
    let appleAccount: LinkedAppleAccount?
    let devices: [DeviceEntry]
    let parties: [PartyEntry]
    let adventures: [AdventureEntry]
    /// The player's history, the newest adventure first.
    let history: [PlayedAdventureView]
    let scores: [Score]
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
            hero: HeroView(player.hero, level: Hero.level(forExperience: player.progress.experience)),
            namedInLeaderboards: player.isNamedInLeaderboards,
            experience: player.progress.experience,
            bossesDefeated: player.progress.bossesDefeated,
            registeredAt: registeredAt.rfc3339
        )
        tokens = try await store.tokens(of: playerID).reversed().map {
            Token(issuedAt: $0.issuedAt.rfc3339, lastUsedAt: $0.lastUsedAt?.rfc3339)
        }
        recoveryCodes = try await store.recoveryCodeTimes(of: playerID).map { .init(issuedAt: $0.rfc3339) }
        appleAccount = try await store.appleAccountTime(of: playerID).map { .init(linkedAt: $0.rfc3339) }
        devices = try await store.devices(of: playerID).map(DeviceEntry.init)
        parties = reader.parties
        adventures = reader.adventures
        history = reader.history
        scores = try await store.scores(of: playerID).map { edition, score in
            Score(board: edition.board, period: edition.period, endsAt: edition.endsAt.rfc3339, score: score)
        }
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

extension PlayerExport.DeviceEntry {
    init(_ device: Device) {
        self.init(
            deviceID: device.id,
            environment: device.environment,
            locale: device.locale,
            appBuild: device.appBuild,
            liveActivitiesEnabled: device.liveActivitiesEnabled,
            frequentPushesEnabled: device.frequentPushesEnabled,
            followsRaids: device.followsRaids,
            pushToStartToken: device.pushToStartToken?.hexadecimal,
            alertToken: device.alertToken?.hexadecimal,
            widgetToken: device.widgetToken?.hexadecimal,
            alerts: device.alertPreferences,
            starts: device.starts.map { Start(adventureID: $0.adventureID, raidID: $0.raidID, at: $0.at.rfc3339) },
            sentAlerts: device.sentAlerts.map { Start(adventureID: $0.adventureID, at: $0.at.rfc3339) },
            registeredAt: device.registeredAt.rfc3339,
            updatedAt: device.updatedAt.rfc3339
        )
    }
}

extension PlayerExport.ActivityEntry {
    init(_ activity: Activity, decisions: [UInt8]?, receipts: ActivityReceipts?) {
        self.init(
            activityID: activity.id,
            adventureID: activity.adventureID,
            deviceID: activity.deviceID,
            state: activity.state.rawValue,
            pushToken: activity.pushToken.hexadecimal,
            environment: activity.environment,
            frequentPushesEnabled: activity.frequentPushesEnabled,
            locale: activity.locale,
            registeredAt: activity.registeredAt.rfc3339,
            startsAt: activity.startsAt?.rfc3339,
            tokenRegisteredAt: activity.tokenRegisteredAt.rfc3339,
            decisions: decisions.map { DecisionLog(encoded: $0).records.map { DecisionView($0) } } ?? [],
            receipts: receipts.map(ReceiptsView.init)
        )
    }
}

extension AdventureInput {
    /// Returns whether a player gave the input, or it concerns the player's hero.
    fileprivate func concerns(_ playerID: PlayerID) -> Bool {
        switch self {
        case .command(_, by: let player), .leave(let player): player == playerID
        case .join(let hero): hero.playerID == playerID
        case .start, .tick, .end, .raid: false
        }
    }
}
