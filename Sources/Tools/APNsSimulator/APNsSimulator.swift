import Dispatch
import Foundation
import Glibc
import HTTP2Transport
import Hummingbird
public import Logging
import NIOCore
public import ServiceLifecycle

/// A stand-in for APNs and for the phones behind it, with a page that shows them.
///
/// It has three doors: HTTP/2 over TLS for a sender of pushes and another one for the management of channels, as APNs has,
/// with a certificate authority of its own that lives as long as the simulator; and plain HTTP for people and scripts, who
/// add phones, start activities on them, and see what arrived. It does what the documentation says and nothing for the real Apple: no push leaves this machine.
public struct APNsSimulator: Service {
    /// Calls back after a time, on any thread.
    public typealias Timer = @Sendable (_ delay: Duration, _ callback: @escaping @Sendable () -> Void) -> Void

    /// How often a taken port leads to the next one.
    private static let portAttempts = 100

    private let configuration: Configuration
    private let players: (any PhonePlayers)?
    private let simulation: Simulation
    private let timer: Timer
    private let logger: Logger
    private let onListening: @Sendable (Listening) async throws -> Void

    /// A simulator that has not started.
    /// - Parameters:
    ///   - configuration: what it stands in for, and where.
    ///   - players: who lets players play on its phones; nil when nobody does.
    ///   - now: the clock.
    ///   - timer: what delays answers.
    ///   - logger: where it says what it does.
    ///   - onListening: called once, when all doors are open.
    /// - Throws: when the app's sentences, which are part of the program, cannot be read.
    public init(
        configuration: Configuration,
        players: (any PhonePlayers)? = nil,
        now: @escaping @Sendable () -> Moment = Moment.now,
        timer: @escaping Timer = Self.callBack,
        logger: Logger,
        onListening: @escaping @Sendable (Listening) async throws -> Void
    ) throws {
        self.configuration = configuration
        self.players = players
        let catalog = try StringCatalog(decoding: PackageResources.Localizable_xcstrings)
        simulation = Simulation(
            wall: PhoneWall(
                catalog: catalog,
                limits: configuration.limits,
                groupingSeconds: configuration.groupingSeconds
            ),
            environment: configuration.environment,
            seed: configuration.seed,
            generator: SeededGenerator(seed: configuration.seed),
            now: now
        )
        self.timer = timer
        self.logger = logger
        self.onListening = onListening
    }

    /// Waits in the background: an answer that is late belongs to no task, and if its connection ends nobody misses it.
    @Sendable public static func callBack(after delay: Duration, _ callback: @escaping @Sendable () -> Void) {
        let (seconds, attoseconds) = delay.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: callback)
    }

    /// Opens the doors and answers until it is cancelled or shut down gracefully.
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
            let doors = WallAPI.Doors(
                apnsHost: configuration.apnsHost,
                apnsPort: server.port,
                channelsPort: channelServer.port,
                bundleID: configuration.bundleID
            )
            try await runWeb(telling: doors) { httpPort in
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

    private func open(_ door: Door, at port: Int, identity: TLSIdentity) throws(TransportError) -> HTTP2Server {
        // Each door has a doorkeeper of its own, since connections count there.
        let tokenCheck = ProviderTokenCheck(keys: configuration.keys, environment: configuration.environment)
        return try HTTP2Server(
            configuration: HTTP2Server.Configuration(
                host: configuration.apnsHost,
                port: port,
                identity: identity,
                maxConcurrentStreams: SenderConnection.fewestStreams,
                maxConnections: OpenFiles.connectionsPerDoor()
            ),
            handler: APNsEndpoint(
                door: door,
                simulation: simulation,
                doorkeeper: Doorkeeper(tokenCheck: tokenCheck),
                bundleID: configuration.bundleID,
                timer: timer,
                logger: logger
            )
        )
    }

    /// Serves the web on the port that is asked for, or on the next free one.
    private func runWeb(
        telling doors: WallAPI.Doors,
        onOpen: @escaping @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        let firstPort = configuration.httpPort
        let lastPort = min(firstPort + Self.portAttempts, Int(UInt16.max))
        var port = firstPort
        while true {
            do {
                return try await runWeb(on: port, telling: doors, onOpen: onOpen)
            } catch let error as IOError where error.errnoCode == EADDRINUSE && port < lastPort {
                logger.notice("port is taken, trying the next one", metadata: ["port": "\(port)"])
                port += 1
            }
        }
    }

    private func runWeb(
        on port: Int,
        telling doors: WallAPI.Doors,
        onOpen: @escaping @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        let api = WallAPI(
            simulation: simulation,
            players: players,
            runID: UUID(),
            httpHost: configuration.httpHost,
            doors: doors
        )
        let (opened, continuation) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: api.router(),
            configuration: ApplicationConfiguration(address: .hostname(configuration.httpHost, port: port)),
            services: [WallClock(simulation: simulation)],
            onServerRunning: { channel in
                continuation.yield(channel.localAddress?.port ?? port)
                continuation.finish()
            },
            logger: logger
        )
        try await withThrowingTaskGroup { group in
            group.addTask {
                // Without a port to tell of, whoever waits for one must wake up too.
                defer { continuation.finish() }
                try await application.run()
            }
            for await port in opened { try await onOpen(port) }
            try await group.waitForAll()
        }
    }
}
