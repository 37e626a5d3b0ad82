public import GameCore
public import GameEngine
public import GameLog
import GameStore
import ServiceRuntime
import Synchronization
import TestSupport

extension World {
    /// Registers a player.
    public func player(_ name: String = "Ada", hero: HeroID = "spouty") async throws -> PlayerID {
        let hash = (0..<32).map { _ in UInt8(truncatingIfNeeded: runtime.randomBits()) }
        return try await commands.register(displayName: Name(name), hero: hero, tokenHash: hash).id
    }

    /// Creates a party of players, the first of whom leads it.
    public func party(of players: [PlayerID], capacity: Int = 8) async throws -> Party {
        let created = Mutex<PartyID?>(nil)
        _ = try await commands.createParty(
            named: Name("Test party"),
            capacity: capacity,
            founder: players[0],
            request: nil
        ) { party in
            created.withLock { $0 = party.id }
            return EncodedResponse(status: 201, body: "")
        }
        var party = try await party(try created.withLock { $0 }.unwrapped("a created party"))
        for player in players.dropFirst() { _ = try await join(party, player) }
        party = try await self.party(party.id)
        return party
    }

    /// Lets a player join a party by its invite code.
    public func join(_ party: Party, _ player: PlayerID) async throws -> EncodedResponse {
        try await commands.join(code: party.inviteCode, player: player, request: nil) { _ in
            EncodedResponse(status: 200, body: "")
        }
    }

    /// Reads a party.
    public func party(_ id: PartyID) async throws -> Party {
        try await store.party(id).unwrapped("party \(id)")
    }

    /// Reads a party's running adventure.
    public func adventure(of party: PartyID) async throws -> StoredAdventure {
        let id = try await self.party(party).adventureID.unwrapped("a running adventure")
        return try await store.adventure(id).unwrapped("adventure \(id)")
    }

    /// Starts a journey in the first region, as the party's leader.
    public func startJourney(_ party: Party) async throws -> StoredAdventure {
        _ = try await commands.startJourney(
            of: party.id,
            in: RegionCatalogue.all[0].id,
            by: party.leaderID,
            request: nil
        ) { _ in EncodedResponse(status: 201, body: "") }
        return try await adventure(of: party.id)
    }
}

extension GameCommands {
    /// Registers a device of a player, which has the player's own identifier unless another one is given.
    @discardableResult
    public func device(
        _ id: DeviceID? = nil,
        of player: PlayerID,
        in environment: PushEnvironment = .simulator,
        followsRaids: Bool = false,
        pushToStartToken: [UInt8]? = nil,
        alertToken: [UInt8]? = nil,
        widgetToken: [UInt8]? = nil,
        liveActivitiesEnabled: Bool = true,
        alertPreferences: AlertPreferences = AlertPreferences()
    ) async throws -> DeviceID {
        let registration = DeviceRegistration(
            id: id ?? DeviceID(rawValue: player.rawValue),
            environment: environment,
            locale: nil,
            appBuild: nil,
            liveActivitiesEnabled: liveActivitiesEnabled,
            frequentPushesEnabled: true,
            followsRaids: followsRaids,
            pushToStartToken: pushToStartToken,
            alertToken: alertToken,
            widgetToken: widgetToken,
            alertPreferences: alertPreferences
        )
        _ = try await register(registration, of: player, request: nil) { _, _ in EncodedResponse(status: 200, body: "")
        }
        return registration.id
    }
}

extension Optional {
    /// Returns the value, or throws an error with the name of the missing value.
    func unwrapped(_ name: @autoclosure () -> String) throws -> Wrapped {
        guard let self else { throw MissingValue(description: "there is no \(name())") }
        return self
    }
}

/// An error: the store does not have a value that a test expects.
private struct MissingValue: Error, CustomStringConvertible {
    let description: String
}
