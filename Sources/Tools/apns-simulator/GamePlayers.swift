import APNsSimulator
import Foundation
import GameCore
import RangersClient
import ServiceLifecycle
import SimulatedPlayers
import Synchronization

/// Players of Emoji Rangers for the phones of a simulator.
final class GamePlayers: PhonePlayers, Service {
    private let attached: AttachedPlayers
    /// Nil when it may not know what operators know.
    private let view: OperatorView?
    /// Known once the simulator listens, which it does before anybody can ask for a player.
    private let simulator = Mutex<SimulatorClient?>(nil)

    /// - Parameters:
    ///   - server: where rangersd is.
    ///   - operatorTokenFile: holds an operator's token; nil for none.
    init(at server: URL, operatorTokenFile: String?) {
        attached = AttachedPlayers(at: server)
        view = operatorTokenFile.map { OperatorView(of: server, tokenFile: URL(filePath: $0)) }
    }

    /// The phones are there.
    func find(phonesAt listening: APNsSimulator.Listening) throws {
        var components = URLComponents()
        components.scheme = "http"
        // Who listens everywhere is here too.
        components.host = listening.httpHost == "0.0.0.0" ? "127.0.0.1" : listening.httpHost
        components.port = listening.httpPort
        guard let url = components.url else { throw URLError(.badURL) }
        simulator.withLock { $0 = SimulatorClient(at: url) }
    }

    var players: [PhonePlayer] {
        attached.players.map { phoneID, player in PhonePlayer(player, on: phoneID) }
    }

    let heroes = HeroCatalogue.all.map { PhoneHero(id: $0.id.rawValue, name: $0.name, avatar: $0.avatar) }

    /// Whoever does not say which hero gets one that nobody else plays here, so that a phone shows which one is its own.
    private var freeHero: HeroID {
        let played = Set(attached.players.values.map(\.role.hero))
        return HeroCatalogue.all.map(\.id).first { !played.contains($0) } ?? HeroCatalogue.all[0].id
    }

    func attach(_ wish: PlayerWish) async throws(PlayerRefusal) -> PhonePlayer {
        guard let simulator = simulator.withLock(\.self) else {
            preconditionFailure("a simulator that answers listens")
        }
        let role = PlayerRole(
            displayName: wish.displayName,
            hero: wish.hero.map(HeroID.init(rawValue:)) ?? freeHero,
            locale: wish.locale,
            frequentPushesEnabled: wish.frequentPushesEnabled,
            takesTurns: wish.takesTurns
        )
        do {
            let player = try await attached.attach(role, joining: wish.inviteCode, on: wish.phoneID, of: simulator)
            return PhonePlayer(player, on: wish.phoneID)
        } catch {
            throw PlayerRefusal(error)
        }
    }

    func detach(from phoneID: UUID) async throws(PlayerRefusal) {
        do {
            try await attached.detach(from: phoneID)
        } catch {
            throw PlayerRefusal(error)
        }
    }

    func decisions(on activityID: UUID) async throws(PlayerRefusal) -> [PushDecision]? {
        do {
            return try await view?.decisions(on: activityID)
        } catch {
            throw PlayerRefusal(error)
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
            takesTurns: player.role.takesTurns
        )
    }
}

extension PlayerRefusal {
    /// What the game server has refused is refused here, in the same words.
    fileprivate init(_ error: any Error) {
        switch error {
        case AttachedPlayers.Refusal.phoneIsTaken:
            self.init(
                status: 409,
                type: "phone-is-taken",
                title: "Another player plays on the phone",
                detail: "DELETE the phone's player first."
            )
        case AttachedPlayers.Refusal.nobodyThere:
            self.init(
                status: 404,
                type: "no-player",
                title: "Nobody plays on the phone",
                detail: "POST to the phone's player lets somebody play."
            )
        case let refusal as PlayerRefusal:
            self = refusal
        case RangersError.problem(let problem):
            let fields = problem.errors.map { "; \($0.field) \($0.reason)" }.joined()
            self.init(
                status: problem.status,
                type: problem.type.slug ?? problem.type.rawValue,
                title: problem.title,
                detail: problem.detail + fields
            )
        default:
            self.init(
                status: 502,
                type: "game-server-unreachable",
                title: "The game server does not answer",
                detail: "\(error)"
            )
        }
    }
}
