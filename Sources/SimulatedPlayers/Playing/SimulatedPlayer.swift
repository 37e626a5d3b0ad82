public import Foundation
public import GameCore

/// A person with the app on a simulated phone: registers, joins, starts Live Activities, and plays by what the phone
/// shows.
public struct SimulatedPlayer: Sendable {
    /// Who it is.
    public let role: PlayerRole
    /// What the server calls the player.
    public let id: PlayerID
    /// What the simulator calls the phone.
    public let phoneID: UUID
    let server: PlayersClient
    private let simulator: SimulatorClient

    /// Registers a player and switches the phone on.
    /// - Parameters:
    ///   - role: who it is to be.
    ///   - server: where rangersd is.
    ///   - simulator: where the phone is.
    ///   - patience: for how long a server that does not answer is tried again.
    /// - Returns: the player, in no party yet.
    /// - Throws: ``ClientError``.
    public static func register(
        as role: PlayerRole,
        at server: URL,
        with simulator: SimulatorClient,
        patience: Duration = .seconds(30)
    ) async throws -> SimulatedPlayer {
        let (id, client) = try await PlayersClient.register(
            role.displayName,
            playing: role.hero,
            at: server,
            patience: patience
        )
        let phoneID = try await simulator.addPhone(
            label: role.displayName,
            locale: role.locale,
            frequentPushesEnabled: role.frequentPushesEnabled
        )
        return SimulatedPlayer(role: role, id: id, phoneID: phoneID, server: client, simulator: simulator)
    }

    /// Starts a Live Activity for an adventure and tells the server its token, as the app does.
    func follow(_ adventureID: AdventureID, of partyName: String) async throws -> FollowedActivity {
        let activityID = ActivityID(rawValue: UUID())
        let lastPush = try await simulator.lastPushNumber()
        let pushToken = try await simulator.start(
            activityID,
            of: adventureID,
            on: phoneID,
            heroName: role.hero.name,
            partyName: partyName
        )
        let registered = try await server.register(
            activityID,
            of: adventureID,
            pushToken: pushToken,
            frequentPushesEnabled: role.frequentPushesEnabled,
            locale: role.locale
        )
        return FollowedActivity(
            id: activityID,
            playerID: id,
            phoneID: phoneID,
            role: role,
            registeredAt: registered.registeredAt,
            lastPushBefore: lastPush
        )
    }

    /// Does what the moment asks of the player, if anything.
    func play(in adventure: AdventureAnswer, following activityID: ActivityID) async throws {
        guard !adventure.isOver, let mine = adventure.hero(of: id) else { return }
        switch adventure.kind {
        case .journey:
            guard PlayerMind.seesNeed(in: adventure) else { return }
            let phone = try await simulator.phone(phoneID)
            guard let shown = phone.activity(activityID)?.contentState else { return }
            if let command = PlayerMind.aid(from: mine, in: adventure, seeing: shown) {
                try await server.run(command, in: adventure.adventureID)
            }
        case .bossFight:
            guard role.takesTurns, adventure.turn?.seat == mine.seat else { return }
            try await server.run(PlayerMind.turn(of: mine, in: adventure), in: adventure.adventureID)
        }
    }
}
