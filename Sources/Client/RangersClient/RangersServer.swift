public import Foundation
public import GameCore

/// A server of the game, for who has no player yet.
///
/// ```swift
/// let server = RangersServer(at: URL(string: "https://rangers.example.com")!)
/// let registered = try await server.register("Ada", playing: "spouty")
/// let player = server.player(with: registered.token)
/// ```
public struct RangersServer: Sendable {
    private let url: URL
    private let configuration: RangersConfiguration

    /// The server at an address.
    /// - Parameters:
    ///   - url: what its paths are under, such as `https://rangers.example.com`.
    ///   - configuration: how it is spoken to.
    public init(at url: URL, configuration: RangersConfiguration = RangersConfiguration()) {
        self.url = url
        self.configuration = configuration
    }

    /// Registers a player.
    ///
    /// There is nobody yet to whom an idempotency key could belong: where an answer is lost and the request is sent again,
    /// the first player is left behind, in no party and known to nobody.
    /// - Parameters:
    ///   - displayName: what companions read; the server says what names there can be.
    ///   - hero: who the player brings to parties.
    /// - Returns: the player with the token, which is to be kept.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func register(_ displayName: String, playing hero: HeroID) async throws -> RegisteredPlayer {
        let requester = Requester(server: url, token: nil, configuration: configuration)
        let body = ["displayName": displayName, "hero": hero.rawValue]
        return try await requester.write("POST", "v1/players", body, key: nil)
    }

    /// What speaks for a player.
    public func player(with token: PlayerToken) -> PlayerClient {
        PlayerClient(Requester(server: url, token: token, configuration: configuration))
    }
}
