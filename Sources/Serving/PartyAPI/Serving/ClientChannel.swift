import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypesHTTP1
import NIOSSL

/// A client's connection: HTTP/1.1, or with TLS what the client prefers of HTTP/2 and HTTP/1.1.
struct ClientChannel: ServerChildChannel {
    typealias Negotiation = EventLoopFuture<NIONegotiatedHTTPVersion<HTTP1Channel.Value, HTTP2Channel.Value>>

    /// A connection, and what is spoken on it.
    struct Value: ServerChildChannelValue {
        fileprivate enum Kind: Sendable {
            case plain(HTTP1Channel.Value)
            case secure(Negotiation)
        }

        let channel: any Channel
        fileprivate let kind: Kind
    }

    private let limits: ServingLimits
    private let tls: TLSContext?
    private let http1: HTTP1Channel
    private let http2: HTTP2Channel

    /// - Parameters:
    ///   - limits: how long clients may take.
    ///   - tls: what clients are shown; nil for none.
    ///   - refusals: makes the answers to what no route gets to see.
    ///   - responder: answers requests.
    init(
        limits: ServingLimits,
        tls: TLSContext?,
        refusals: Refusals,
        responder: @escaping HTTPChannelHandler.Responder
    ) {
        self.limits = limits
        self.tls = tls
        http1 = HTTP1Channel(
            responder: responder,
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [RequestGuard(limits, isStream: false, refusals: refusals)],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: ServingLimits.headerFieldBytes,
                    maxHeaderListSize: ServingLimits.headerBytes,
                    maxHeaderFieldCount: ServingLimits.headerFields
                )
            )
        )
        http2 = HTTP2Channel(
            responder: responder,
            configuration: HTTP2Channel.Configuration(
                idleTimeout: limits.idleTimeout,
                gracefulCloseTimeout: limits.requestTimeout,
                streamConfiguration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [RequestGuard(limits, isStream: true, refusals: refusals)]
                )
            )
        )
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        do {
            try channel.pipeline.syncOperations.addHandler(ConnectionGuard(limits))
            guard let tls else {
                return setupHTTP1(channel, logger: logger).map { Value(channel: channel, kind: .plain($0)) }
            }
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls.current))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return channel.configureHTTP2AsyncSecureUpgrade { channel in
            setupHTTP1(channel, logger: logger)
        } http2ConnectionInitializer: { channel in
            channel.eventLoop.makeCompletedFuture {
                let connection = try channel.pipeline.syncOperations.handler(type: ConnectionGuard.self)
                connection.update { $0.multiplexed(at: channel.eventLoop.now) }
            }
            .flatMap { http2.setup(channel: channel, logger: logger) }
        }
        .map { Value(channel: channel, kind: .secure($0)) }
    }

    private func setupHTTP1(_ channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http1.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(HeadGuard(), position: .before(codec))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopTaskExecutor(value.channel.eventLoop)) {
            await serve(value, logger: logger)
        }
    }

    private func serve(_ value: Value, logger: Logger) async {
        switch value.kind {
        case .plain(let connection):
            await http1.handle(value: connection, logger: logger)
        case .secure(let negotiation):
            do {
                switch try await negotiation.get() {
                case .http1_1(let connection): await http1.handle(value: connection, logger: logger)
                case .http2(let connection): await http2.handle(value: connection, logger: logger)
                }
            } catch {
                // Everybody can cause this: scanners, clients that trust another authority, old versions of TLS.
                logger.debug("no TLS with a client", metadata: ["error": "\(error)"])
            }
        }
    }
}
