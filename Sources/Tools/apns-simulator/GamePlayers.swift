import APNsSimulator
import Foundation
import GameCore
import RangersClient
import ServiceLifecycle
import SimulatedPlayers
import Synchronization

/// The players of Emoji Rangers for the phones of a simulator.
final class GamePlayers: PhonePlayers, Service {
    private let attached: AttachedPlayers
    let server: URL
    /// The client for operators' data; nil without an operator token.
    private let operatorReader: OperatorReader?
    /// The client for the simulator; set once the simulator listens, before the first request for a player.
    private let simulator = Mutex<SimulatorClient?>(nil)

    /// Creates an empty collection of players for a game server.
    /// - Parameters:
    ///   - server: the address of rangersd.
    ///   - operatorTokenFile: a file with an operator's token; nil for none.
    init(at server: URL, operatorTokenFile: String?) {
        attached = AttachedPlayers(at: server)
        self.server = server
        operatorReader = operatorTokenFile.map { OperatorReader(of: server, tokenFile: URL(filePath: $0)) }
    }

    /// Sets the simulator of the phones, by the addresses on which it listens.
    func setSimulator(listening: APNsSimulator.Listening) throws {
        var components = URLComponents()
        components.scheme = "http"
        // A simulator that listens on all interfaces is reachable over loopback.
        components.host = listening.httpHost == "0.0.0.0" ? "127.0.0.1" : listening.httpHost
        components.port = listening.httpPort
        guard let url = components.url else { throw URLError(.badURL) }
        simulator.withLock { $0 = SimulatorClient(at: url) }
    }

    var players: [PhonePlayer] {
        attached.players.map { phoneID, player in PhonePlayer(player, on: phoneID) }
    }

    let heroes = HeroCatalogue.all.map { PhoneCharacter(id: $0.id.rawValue, name: $0.name, avatar: $0.avatar) }
    let bosses = BossCatalogue.all.map { PhoneCharacter(id: $0.id.rawValue, name: $0.name, avatar: $0.avatar) }

    /// The default hero: one that no other attached player plays, if any, so that a phone shows which hero is its own.
    private var freeHero: HeroID {
        let played = Set(attached.players.values.map(\.role.hero))
        return HeroCatalogue.all.map(\.id).first { !played.contains($0) } ?? HeroCatalogue.all[0].id
    }

    func attach(_ playerRequest: PlayerRequest) async throws(PlayerProblem) -> PhonePlayer {
        guard let simulator = simulator.withLock(\.self) else {
            preconditionFailure("the simulator listens before it answers")
        }
        let role = PlayerRole(
            displayName: playerRequest.displayName,
            hero: playerRequest.hero.map(HeroID.init(rawValue:)) ?? freeHero,
            locale: playerRequest.locale,
            frequentPushesEnabled: playerRequest.frequentPushesEnabled,
            takesTurns: playerRequest.takesTurns
        )
        do {
            let player = try await attached.attach(
                role,
                joining: playerRequest.inviteCode,
                on: playerRequest.phoneID,
                of: simulator
            )
            return PhonePlayer(player, on: playerRequest.phoneID)
        } catch {
            throw PlayerProblem(error)
        }
    }

    func detach(from phoneID: UUID) async throws(PlayerProblem) {
        do {
            try await attached.detach(from: phoneID)
        } catch {
            throw PlayerProblem(error)
        }
    }

    func decisions(on activityID: UUID) async throws(PlayerProblem) -> [PushDecision]? {
        do {
            return try await operatorReader?.decisions(on: activityID)
        } catch {
            throw PlayerProblem(error)
        }
    }

    func raids(_ part: RaidPart) async throws(PlayerProblem) -> Data? {
        do {
            return try await operatorReader?.raids(part)
        } catch {
            throw PlayerProblem(error)
        }
    }

    func parties(of adventureIDs: [UUID], and partyIDs: [String]) async throws(PlayerProblem) -> [PhoneParty]? {
        do {
            return try await operatorReader?.parties(of: adventureIDs, and: partyIDs)
        } catch {
            throw PlayerProblem(error)
        }
    }

    func run() async {
        await cancelWhenGracefulShutdown { await self.attached.run() }
    }
}

extension PhonePlayer {
    fileprivate init(_ player: AttachedPlayer, on phoneID: UUID) {
        self.init(
            phoneID: phoneID,
            playerID: player.id.description,
            displayName: player.role.displayName,
            hero: player.role.hero.rawValue,
            partyID: player.partyID.description,
            takesTurns: player.role.takesTurns
        )
    }
}

extension PlayerProblem {
    /// Converts an error; problems of the game server keep their texts.
    fileprivate init(_ error: any Error) {
        switch error {
        case AttachedPlayers.AttachmentError.phoneIsTaken:
            self.init(
                status: 409,
                type: "phone-is-taken",
                title: "The phone has a player",
                detail: "DELETE the phone's player first."
            )
        case AttachedPlayers.AttachmentError.noPlayer:
            self.init(
                status: 404,
                type: "no-player",
                title: "The phone has no player",
                detail: "POST to the phone's player to attach one."
            )
        case let problem as PlayerProblem:
            self = problem
        case RangersError.problem(let problem):
            self.init(
                status: problem.status,
                type: problem.type.slug ?? problem.type.rawValue,
                title: problem.title,
                detail: problem.detail ?? problem.title,
                fields: problem.errors.map { ($0.field, $0.reason) }
            )
        default:
            self.init(
                status: 502,
                type: "game-server-unreachable",
                title: "The game server is unreachable",
                detail: "\(error)"
            )
        }
    }
}
