import Dispatch
import EmbeddedFiles
public import Encodings
import Foundation
import Glibc
import HTTP2Transport
import Hummingbird
public import Logging
import NIOCore
public import ServiceLifecycle
public import ServiceRuntime

/// A simulator of APNs and of the phones behind it, with a page that shows them.
///
/// Like APNs it has two endpoints over HTTP/2 and TLS, one for pushes and one for channel management, with a
/// certificate authority that lives as long as the simulator. A third endpoint, over plain HTTP, serves users and
/// scripts: they add phones, start activities, and see which pushes arrived. It implements what the documentation says,
/// and sends nothing to Apple: no push leaves this machine.
public struct APNsSimulator: Service {
    /// A function that calls back after a delay, on any thread.
    public typealias Timer = @Sendable (_ delay: Duration, _ callback: @escaping @Sendable () -> Void) -> Void

    /// The maximum number of ports to try after the configured one, if that is in use.
    private static let maxPortAttempts = 100

    private let configuration: Configuration
    private let players: (any PhonePlayers)?
    private let simulator: SimulatorState
    private let timer: Timer
    private let logger: Logger
    private let onListening: @Sendable (Listening) async throws -> Void

    /// Creates a simulator.
    /// - Parameters:
    ///   - configuration: the emulated environment and app, and the addresses to listen on.
    ///   - players: attaches players of a game to phones; nil without a game.
    ///   - now: returns the current time.
    ///   - timer: delays responses.
    ///   - logger: logs the simulator's operation.
    ///   - onListening: called once, when all endpoints listen.
    /// - Throws: an error when the embedded String Catalog cannot be decoded.
    public init(
        configuration: Configuration,
        players: (any PhonePlayers)? = nil,
        now: @escaping @Sendable () -> Timestamp = Runtime.system.now,
        timer: @escaping Timer = Self.callBack,
        logger: Logger,
        onListening: @escaping @Sendable (Listening) async throws -> Void
    ) throws {
        self.configuration = configuration
        self.players = players
        let catalog = try StringCatalog(decoding: EmbeddedFile.stringCatalog.bytes)
        simulator = SimulatorState(
            wall: PhoneWall(
                catalog: catalog,
                limits: configuration.limits,
                groupingSeconds: configuration.groupingSeconds,
                log: PushLog(capacity: configuration.maxLoggedPushes)
            ),
            environment: configuration.environment,
            seed: configuration.seed,
            generator: SplitMix64(seed: configuration.seed),
            now: now
        )
        self.timer = timer
        self.logger = logger
        self.onListening = onListening
    }

    /// Calls back from a global queue.
    ///
    /// No task waits for a late response, which is dropped with its connection.
    @Sendable public static func callBack(after delay: Duration, _ callback: @escaping @Sendable () -> Void) {
        let (seconds, attoseconds) = delay.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: callback)
    }

    /// Listens and answers requests until cancellation or graceful shutdown.
    public func run() async throws {
        let authority = try CertificateAuthority(name: "Emoji Rangers APNs simulator")
        let identity = try authority.issueIdentity(for: configuration.certificateHosts)
        let server = try open(.pushes, at: configuration.apnsPort, identity: identity)
        let channelServer: HTTP2Server
        do {
            channelServer = try open(.channels, at: configuration.channelsPort, identity: identity)
        } catch {
            await server.stop()
            throw error
        }
        do {
            let endpoints = WallAPI.Endpoints(
                apnsHost: configuration.apnsHost,
                apnsPort: server.port,
                channelsPort: channelServer.port,
                bundleID: configuration.bundleID
            )
            try await runWeb(endpoints: endpoints) { httpPort in
                try await onListening(
                    Listening(
                        httpHost: configuration.httpHost,
                        httpPort: httpPort,
                        apnsHost: configuration.apnsHost,
                        apnsPort: server.port,
                        channelsPort: channelServer.port,
                        certificateAuthorityPEM: authority.certificatePEM
                    )
                )
            }
        } catch {
            await server.stop()
            await channelServer.stop()
            throw error
        }
        await server.stop()
        await channelServer.stop()
    }

    private func open(_ endpoint: Endpoint, at port: Int, identity: TLSIdentity) throws(TransportError) -> HTTP2Server {
        // Connections are tracked for each endpoint.
        let tokenCheck = ProviderTokenCheck(keys: configuration.keys, environment: configuration.environment)
        return try HTTP2Server(
            configuration: HTTP2Server.Configuration(
                host: configuration.apnsHost,
                port: port,
                identity: identity,
                maxConcurrentStreams: SenderConnection.initialMaxStreams,
                maxConnections: ConnectionLimit.perEndpoint()
            ),
            handler: APNsRequestHandler(
                endpoint: endpoint,
                simulator: simulator,
                authenticator: SenderAuthenticator(tokenCheck: tokenCheck),
                bundleID: configuration.bundleID,
                timer: timer,
                logger: logger
            )
        )
    }

    /// Serves the web API on the configured port, or on the next free one.
    private func runWeb(
        endpoints: WallAPI.Endpoints,
        onOpen: @escaping @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        let firstPort = configuration.httpPort
        let lastPort = min(firstPort + Self.maxPortAttempts, Int(UInt16.max))
        var port = firstPort
        while true {
            do {
                return try await runWeb(on: port, endpoints: endpoints, onOpen: onOpen)
            } catch let error as IOError where error.errnoCode == EADDRINUSE && port < lastPort {
                logger.notice("port is in use, trying the next one", metadata: ["port": "\(port)"])
                port += 1
            }
        }
    }

    private func runWeb(
        on port: Int,
        endpoints: WallAPI.Endpoints,
        onOpen: @escaping @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        let api = WallAPI(
            simulator: simulator,
            players: players,
            runID: UUID(),
            httpHost: configuration.httpHost,
            endpoints: endpoints
        )
        let (opened, continuation) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: api.router(),
            configuration: ApplicationConfiguration(address: .hostname(configuration.httpHost, port: port)),
            services: [WallClock(simulator: simulator)],
            onServerRunning: { channel in
                continuation.yield(channel.localAddress?.port ?? port)
                continuation.finish()
            },
            logger: logger
        )
        try await withThrowingTaskGroup { group in
            group.addTask {
                // If the server fails before it has a port, the loop below must end too.
                defer { continuation.finish() }
                try await application.run()
            }
            for await port in opened { try await onOpen(port) }
            try await group.waitForAll()
        }
    }
}
