import Encodings
public import Foundation
public import GameCore
import LiveActivityContent
import RangersClient

/// A user with the app on a simulated phone: registers, joins parties, starts Live Activities, and plays by the states
/// that the phone shows.
public struct SimulatedPlayer: Sendable {
    /// The refusals of commands that arrive after the game has moved on.
    private static let tooLateRefusals: Set<AdventureRefusal> = [
        .notYourTurn, .heroDown, .noPotionsLeft, .targetUnhurt, .targetNotDown, .onCooldown, .adventureOver,
    ]

    /// The player's role.
    public let role: PlayerRole
    /// The player's identifier on the server.
    public let id: PlayerID
    /// The phone's identifier in the simulator.
    public let phoneID: UUID
    let server: PlayerClient
    let simulator: SimulatorClient
    /// The settings and tokens of the phone at its registration.
    let deviceSettings: DeviceSettings

    /// The phone's identifier on the server.
    var deviceID: DeviceID { DeviceID(rawValue: phoneID) }

    /// Registers a player and adds a phone.
    /// - Parameters:
    ///   - role: the player's role.
    ///   - server: the address of rangersd.
    ///   - simulator: the simulator for the phone.
    /// - Returns: the player, without a party.
    /// - Throws: ``RangersError``.
    public static func register(
        as role: PlayerRole,
        at server: URL,
        with simulator: SimulatorClient
    ) async throws -> SimulatedPlayer {
        let phoneID = try await simulator.addPhone(
            label: role.displayName,
            locale: role.locale,
            frequentPushesEnabled: role.frequentPushesEnabled,
            owner: role.displayName
        )
        return try await register(as: role, at: server, with: simulator, on: phoneID)
    }

    /// Registers a player for an existing phone.
    /// - Parameters:
    ///   - role: the player's role.
    ///   - server: the address of rangersd.
    ///   - simulator: the simulator with the phone.
    ///   - phoneID: the phone.
    ///   - retryTimeLimit: the time for which a failed request is retried.
    ///   - transport: the transport of requests.
    /// - Returns: the player, without a party.
    /// - Throws: ``RangersError``.
    static func register(
        as role: PlayerRole,
        at server: URL,
        with simulator: SimulatorClient,
        on phoneID: UUID,
        retryTimeLimit: Duration = .seconds(30),
        over transport: any RangersTransport = PlayersTransport()
    ) async throws -> SimulatedPlayer {
        let retryPolicy = RetryPolicy(
            timeLimit: retryTimeLimit,
            initialDelay: .milliseconds(100),
            maxDelay: .milliseconds(500)
        )
        let configuration = RangersConfiguration(transport: transport, retryPolicy: retryPolicy)
        let server = RangersServer(at: server, configuration: configuration)
        let registered = try await server.register(role.displayName, playing: role.hero)
        let player = SimulatedPlayer(
            role: role,
            id: registered.playerID,
            phoneID: phoneID,
            server: server.player(with: registered.token),
            simulator: simulator,
            deviceSettings: try await settings(of: phoneID, role, in: simulator)
        )
        try await player.server.register(player.deviceID, with: player.deviceSettings)
        return player
    }

    /// Adds a tablet, which shows the player's adventures beside the phone.
    /// - Parameter liveActivitiesEnabled: the setting for Live Activities; without them it shows notifications only.
    /// - Returns: the same player on the tablet.
    /// - Throws: ``RangersError``.
    func addTablet(liveActivitiesEnabled: Bool = true) async throws -> SimulatedPlayer {
        let tabletID = try await simulator.addPhone(
            label: "\(role.displayName)'s tablet",
            locale: role.locale,
            frequentPushesEnabled: role.frequentPushesEnabled,
            owner: role.displayName,
            isTablet: true,
            liveActivitiesEnabled: liveActivitiesEnabled
        )
        let tablet = SimulatedPlayer(
            role: role,
            id: id,
            phoneID: tabletID,
            server: server,
            simulator: simulator,
            deviceSettings: try await Self.settings(
                of: tabletID,
                role,
                liveActivitiesEnabled: liveActivitiesEnabled,
                in: simulator
            )
        )
        try await server.register(tablet.deviceID, with: tablet.deviceSettings)
        return tablet
    }

    /// Returns the settings of a phone, with the tokens that the system issues to its app.
    private static func settings(
        of phoneID: UUID,
        _ role: PlayerRole,
        liveActivitiesEnabled: Bool = true,
        in simulator: SimulatorClient
    ) async throws -> DeviceSettings {
        DeviceSettings(
            environment: .simulator,
            locale: role.locale,
            liveActivitiesEnabled: liveActivitiesEnabled,
            frequentPushesEnabled: role.frequentPushesEnabled,
            alertToken: try await simulator.issueToken("device-token", on: phoneID),
            widgetToken: try await simulator.issueToken("widget-token", on: phoneID)
        )
    }

    /// Registers an activity on the phone; registers the phone again if a failover of the database has lost it.
    private func register(
        _ activityID: ActivityID,
        of adventureID: AdventureID,
        _ destination: PushDestination
    ) async throws -> ActivityResponse {
        func register() async throws -> ActivityResponse {
            try await server.register(
                activityID,
                of: adventureID,
                on: deviceID,
                destination: destination,
                locale: role.locale
            )
        }
        do {
            return try await register()
        } catch RangersError.problem(let problem) where problem.type == .unknownDevice {
            try await server.register(deviceID, with: deviceSettings)
            return try await register()
        }
    }

    /// Starts a Live Activity for an adventure, with the attributes that an app gives it.
    /// - Returns: the activity's identifier and push token.
    func startActivity(
        of adventure: AdventureResponse,
        _ party: PartyResponse
    ) async throws -> (ActivityID, pushToken: Data) {
        let activityID = ActivityID(rawValue: UUID())
        let attributes = AdventureAttributes(of: adventure, party: party, for: id)
        let pushToken = try await simulator.start(
            activityID,
            of: adventure.adventureID,
            on: phoneID,
            heroName: role.hero.name,
            partyName: party.name,
            hero: attributes?.hero,
            playerNames: attributes?.playerNames
        )
        return (activityID, pushToken)
    }

    /// Starts a Live Activity for an adventure and registers its token with the server, as the app does.
    func follow(_ adventure: AdventureResponse, of party: PartyResponse) async throws -> TrackedActivity {
        // A visitor of the page may have switched them off.
        try await simulator.enableLiveActivities(on: phoneID)
        let lastPush = try await simulator.lastPushNumber()
        let (activityID, pushToken) = try await startActivity(of: adventure, party)
        let registered = try await register(
            activityID,
            of: adventure.adventureID,
            PushDestination(
                pushToken: pushToken,
                environment: .simulator,
                frequentPushesEnabled: role.frequentPushesEnabled
            )
        )
        return TrackedActivity(
            id: activityID,
            playerID: id,
            phoneID: phoneID,
            role: role,
            registeredAt: Timestamp(registered.registeredAt),
            lastPushBefore: lastPush
        )
    }

    /// Decides and sends the player's next command, if any.
    /// - Returns: true if the decision has to wait because the phone shows an older state.
    @discardableResult
    func play(in adventure: AdventureResponse, following activityID: ActivityID) async throws -> Bool {
        guard !adventure.isOver, let hero = adventure.hero(of: id) else { return false }
        switch adventure.kind.value {
        case nil: return false
        case .journey:
            guard PlayerStrategy.canHelp(in: adventure) else { return false }
            guard let shown = try await shown(on: activityID) else { return true }
            guard let command = PlayerStrategy.aid(from: hero, in: adventure, seeing: shown) else {
                return shown.sequence < adventure.sequence
            }
            try await run(command, in: adventure.adventureID)
            return false
        case .bossFight, .raid:
            guard role.takesTurns, adventure.turn?.seat == hero.seat else { return false }
            guard let shown = try await shown(on: activityID) else { return true }
            guard PlayerStrategy.isOwnTurn(of: hero, in: adventure, seeing: shown) else {
                return shown.sequence < adventure.sequence
            }
            try await run(PlayerStrategy.turn(of: hero, in: adventure), in: adventure.adventureID)
            return false
        }
    }

    /// Returns an activity's state on the phone; nil until the first push.
    private func shown(on activityID: ActivityID) async throws -> AdventureAttributes.ContentState? {
        try await simulator.phone(phoneID).activity(activityID)?.contentState
    }

    /// Returns all events of an adventure after a sequence.
    func events(of adventureID: AdventureID, after sequence: Int) async throws -> [StoryEvent] {
        try await server.allEvents(of: adventureID, after: sequence).map(StoryEvent.init)
    }

    /// Sends a command; a refusal because it came too late is expected.
    private func run(_ command: Command, in adventureID: AdventureID) async throws {
        do {
            try await server.run(command, in: adventureID)
        } catch RangersError.problem(let problem) {
            guard let refusal = problem.type.refusal, Self.tooLateRefusals.contains(refusal) else {
                throw RangersError.problem(problem)
            }
        }
    }
}
