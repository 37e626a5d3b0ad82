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
    /// A request that is repeated with the same key within a day gets the same player, with the same token: an app that was
    /// terminated before it had the response repeats the request with the key that it stored.
    /// - Parameters:
    ///   - displayName: the name that companions see. The server validates it.
    ///   - hero: the hero that the player brings to parties.
    ///   - key: the idempotency key, a random UUID or one that ``IdempotencyKey/init()`` made; nil for a new one. Treat it
    ///     as a secret: the token follows from it.
    /// - Returns: the player with the token and the recovery code. The app has to store the token, and to show the code to
    ///   the player.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func register(
        _ displayName: String,
        playing hero: HeroID,
        key: IdempotencyKey? = nil
    ) async throws -> RegisteredPlayer {
        let requester = Requester(server: url, token: nil, configuration: configuration)
        let body = ["displayName": displayName, "hero": hero.rawValue]
        return try await requester.write("POST", "v1/players", body, key: key)
    }

    /// Requests another token for a player who has lost the old one.
    ///
    /// The code is used up by the first use of the new token; until then the request can be repeated. The player's other tokens stay valid; revoke them if they may
    /// have been stolen.
    /// - Parameters:
    ///   - code: the recovery code, as the player typed it.
    ///   - key: the idempotency key; nil for a new one.
    /// - Returns: the token, which the app has to store, and the code for the next time.
    /// - Throws: ``RangersError``, with the problem ``ProblemType/unknownRecoveryCode`` if no player has the code;
    ///   `CancellationError`.
    public func recover(with code: RecoveryCode, key: IdempotencyKey? = nil) async throws -> RecoveredPlayer {
        let requester = Requester(server: url, token: nil, configuration: configuration)
        return try await requester.write("POST", "v1/players/recover", ["recoveryCode": code.text], key: key)
    }

    /// Requests another token for the player who has linked an Apple account.
    ///
    /// The identity token is used up, and is accepted within 10 minutes. The player's other tokens stay valid.
    /// - Parameters:
    ///   - identityToken: the `identityToken` of the app's `ASAuthorizationAppleIDCredential`, as text.
    ///   - nonce: the random text whose SHA-256 in hexadecimal was the `nonce` of the `ASAuthorizationAppleIDRequest`.
    ///   - key: the idempotency key; nil for a new one.
    /// - Returns: the player with the token, which the app has to store.
    /// - Throws: ``RangersError``, with the problem ``ProblemType/unknownAppleAccount`` if no player has linked the account;
    ///   `CancellationError`.
    public func signIn(
        identityToken: String,
        nonce: String,
        key: IdempotencyKey? = nil
    ) async throws -> SignedInPlayer {
        let requester = Requester(server: url, token: nil, configuration: configuration)
        let body = ["identityToken": identityToken, "nonce": nonce]
        return try await requester.write("POST", "v1/players/sign-in", body, key: key)
    }

    /// Returns a client of a server for a player; nil for unauthenticated requests.
    func http(for token: PlayerToken?) -> Requester {
        Requester(server: url, token: token, configuration: configuration)
    }

    /// Returns a client that is authenticated as the owner of a token.
    public func player(with token: PlayerToken) -> PlayerClient {
        PlayerClient(Requester(server: url, token: token, configuration: configuration))
    }
}
