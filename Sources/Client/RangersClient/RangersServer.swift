public import Foundation
public import GameCore

/// A game server: registers players, and creates clients for registered players.
///
/// ```swift
/// let server = RangersServer(at: URL(string: "https://rangers.example.com")!)
/// let registered = try await server.register("Ada", playing: "spouty")
/// let player = server.player(with: registered.token)
/// ```
public struct RangersServer: Sendable {
    private let url: URL
    private let configuration: RangersConfiguration

    /// Creates a server from its address.
    /// - Parameters:
    ///   - url: the base URL, such as `https://rangers.example.com`.
    ///   - configuration: the configuration of all clients of this server.
    public init(at url: URL, configuration: RangersConfiguration = RangersConfiguration()) {
        self.url = url
        self.configuration = configuration
    }

    /// Registers a player.
    ///
    /// Registration is not idempotent, because idempotency keys belong to players. If a response is lost and the
    /// request is retried, an unused player in no party remains on the server.
    /// - Parameters:
    ///   - displayName: the name that companions see. The server validates it.
    ///   - hero: the hero that the player brings to parties.
    /// - Returns: the player with the token, which the app has to store.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func register(_ displayName: String, playing hero: HeroID) async throws -> RegisteredPlayer {
        let requester = Requester(server: url, token: nil, configuration: configuration)
        let body = ["displayName": displayName, "hero": hero.rawValue]
        return try await requester.write("POST", "v1/players", body, key: nil)
    }

    /// Returns a client that is authenticated as the owner of a token.
    public func player(with token: PlayerToken) -> PlayerClient {
        PlayerClient(Requester(server: url, token: token, configuration: configuration))
    }
}
