import Encodings
public import Foundation
public import GameCore
import LiveActivityContent
import RangersClient

/// A person with the app on a simulated phone: registers, joins, starts Live Activities, and plays by what the phone
/// shows.
public struct SimulatedPlayer: Sendable {
    /// What the game answers when it has moved on between the player's look and the player's command.
    private static let comesTooLate: Set<Refusal> = [
        .notYourTurn, .heroDown, .noPotionsLeft, .targetUnhurt, .targetNotDown, .onCooldown, .adventureOver,
    ]

    /// Who it is.
    public let role: PlayerRole
    /// What the server calls the player.
    public let id: PlayerID
    /// What the simulator calls the phone.
    public let phoneID: UUID
    let server: PlayerClient
    let simulator: SimulatorClient

    /// Registers a player and switches a phone on.
    /// - Parameters:
    ///   - role: who it is to be.
    ///   - server: where rangersd is.
    ///   - simulator: where the phone is to be.
    /// - Returns: the player, in no party yet.
    /// - Throws: ``RangersError``.
    public static func register(
        as role: PlayerRole,
        at server: URL,
        with simulator: SimulatorClient
    ) async throws -> SimulatedPlayer {
        let phoneID = try await simulator.addPhone(
            label: role.displayName,
            locale: role.locale,
            frequentPushesEnabled: role.frequentPushesEnabled
        )
        return try await register(as: role, at: server, with: simulator, on: phoneID)
    }

    /// Registers a player who has a phone already.
    /// - Parameters:
    ///   - role: who it is to be.
    ///   - server: where rangersd is.
    ///   - simulator: where the phone is.
    ///   - phoneID: which phone it is.
    ///   - patience: for how long a server that does not answer is tried again.
    ///   - transport: what carries the requests.
    /// - Returns: the player, in no party yet.
    /// - Throws: ``RangersError``.
    static func register(
        as role: PlayerRole,
        at server: URL,
        with simulator: SimulatorClient,
        on phoneID: UUID,
        patience: Duration = .seconds(30),
        over transport: any RangersTransport = PlayersTransport()
    ) async throws -> SimulatedPlayer {
        let retryPolicy = RetryPolicy(
            timeLimit: patience,
            initialDelay: .milliseconds(100),
            maxDelay: .milliseconds(500)
        )
        let configuration = RangersConfiguration(transport: transport, retryPolicy: retryPolicy)
        let server = RangersServer(at: server, configuration: configuration)
        let registered = try await server.register(role.displayName, playing: role.hero)
        return SimulatedPlayer(
            role: role,
            id: registered.playerID,
            phoneID: phoneID,
            server: server.player(with: registered.token),
            simulator: simulator
        )
    }

    /// Starts a Live Activity for an adventure.
    /// - Returns: its name, and the token that pushes for it go to.
    func startCard(of adventureID: AdventureID, partyName: String) async throws -> (ActivityID, pushToken: Data) {
        let activityID = ActivityID(rawValue: UUID())
        let pushToken = try await simulator.start(
            activityID,
            of: adventureID,
            on: phoneID,
            heroName: role.hero.name,
            partyName: partyName
        )
        return (activityID, pushToken)
    }

    /// Starts a Live Activity for an adventure and tells the server its token, as the app does.
    func follow(_ adventureID: AdventureID, of partyName: String) async throws -> FollowedActivity {
        let lastPush = try await simulator.lastPushNumber()
        let (activityID, pushToken) = try await startCard(of: adventureID, partyName: partyName)
        let registered = try await server.register(
            activityID,
            of: adventureID,
            destination: PushDestination(
                pushToken: pushToken,
                environment: .simulator,
                frequentPushesEnabled: role.frequentPushesEnabled
            ),
            locale: role.locale
        )
        return FollowedActivity(
            id: activityID,
            playerID: id,
            phoneID: phoneID,
            role: role,
            registeredAt: Timestamp(registered.registeredAt),
            lastPushBefore: lastPush
        )
    }

    /// Does what the moment asks of the player, if anything.
    /// - Returns: whether the phone is yet to show what the player would act upon.
    @discardableResult
    func play(in adventure: AdventureResponse, following activityID: ActivityID) async throws -> Bool {
        guard !adventure.isOver, let mine = adventure.hero(of: id) else { return false }
        switch adventure.kind.value {
        case nil: return false
        case .journey:
            guard PlayerMind.seesNeed(in: adventure) else { return false }
            guard let shown = try await shown(on: activityID) else { return true }
            guard let command = PlayerMind.aid(from: mine, in: adventure, seeing: shown) else {
                return shown.sequence < adventure.sequence
            }
            try await run(command, in: adventure.adventureID)
            return false
        case .bossFight:
            guard role.takesTurns, adventure.turn?.seat == mine.seat else { return false }
            guard let shown = try await shown(on: activityID) else { return true }
            guard PlayerMind.isOwnTurn(of: mine, in: adventure, seeing: shown) else {
                return shown.sequence < adventure.sequence
            }
            try await run(PlayerMind.turn(of: mine, in: adventure), in: adventure.adventureID)
            return false
        }
    }

    /// What the phone shows on a card; nil when it shows nothing yet.
    private func shown(on activityID: ActivityID) async throws -> AdventureAttributes.ContentState? {
        try await simulator.phone(phoneID).activity(activityID)?.contentState
    }

    /// Every event of an adventure after one.
    func events(of adventureID: AdventureID, after sequence: Int) async throws -> [StoryEvent] {
        try await server.allEvents(of: adventureID, after: sequence).map(StoryEvent.init)
    }

    /// Asks for something; what comes a moment too late is refused, which is fine.
    private func run(_ command: Command, in adventureID: AdventureID) async throws {
        do {
            try await server.run(command, in: adventureID)
        } catch RangersError.problem(let problem) {
            guard let refusal = problem.type.refusal, Self.comesTooLate.contains(refusal) else {
                throw RangersError.problem(problem)
            }
        }
    }
}
