import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOHTTPTypesHTTP1
import NIOSSL

/// Sets up and serves client connections: HTTP/1.1, or over TLS the negotiated one of HTTP/2 and HTTP/1.1.
struct ClientChannel: ServerChildChannel {
    typealias Negotiation = EventLoopFuture<NIONegotiatedHTTPVersion<HTTP1Channel.Value, HTTP2Channel.Value>>

    /// A connection with its protocol, which TLS may still be negotiating.
    struct Value: ServerChildChannelValue {
        fileprivate enum Kind: Sendable {
            case plain(HTTP1Channel.Value)
            case secure(Negotiation)
        }

        let channel: any Channel
        fileprivate let kind: Kind
    }

    private let limits: ServingLimits
    private let tls: ServerTLSContext?
    private let http1: HTTP1Channel
    private let http2: HTTP2Channel

    /// Creates the setup of a server's connections.
    /// - Parameters:
    ///   - limits: the timeouts of clients.
    ///   - tls: the TLS identity; nil for plain HTTP/1.1.
    ///   - problems: responds to input that reaches no route.
    ///   - responder: responds to requests.
    init(
        limits: ServingLimits,
        tls: ServerTLSContext?,
        problems: ProblemResponder,
        responder: @escaping HTTPChannelHandler.Responder
    ) {
        self.limits = limits
        self.tls = tls
        http1 = HTTP1Channel(
            responder: responder,
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [RequestTimeoutHandler(limits, isStream: false, problems: problems)],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: ServingLimits.maxHeaderFieldBytes,
                    maxHeaderListSize: ServingLimits.maxHeaderBytes,
                    maxHeaderFieldCount: ServingLimits.maxHeaderFields
                )
            )
        )
        http2 = HTTP2Channel(
            responder: responder,
            configuration: HTTP2Channel.Configuration(
                idleTimeout: limits.idleTimeout,
                gracefulCloseTimeout: limits.requestTimeout,
                streamConfiguration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [RequestTimeoutHandler(limits, isStream: true, problems: problems)]
                )
            )
        )
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        do {
            try channel.pipeline.syncOperations.addHandler(SlowConnectionHandler(limits))
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
                let connection = try channel.pipeline.syncOperations.handler(type: SlowConnectionHandler.self)
                connection.update { $0.http2Negotiated(at: channel.eventLoop.now) }
                try channel.pipeline.syncOperations.addHandler(HTTP2FrameObserver(of: connection))
            }
            .flatMap { http2.setup(channel: channel, logger: logger) }
        }
        .map { Value(channel: channel, kind: .secure($0)) }
    }

    private func setupHTTP1(_ channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http1.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(RequestHeadValidator(), position: .before(codec))
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(MethodObserver(), position: .before(parser))
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
                // Any client can cause this: a scanner, an old TLS version, another certificate authority.
                logger.debug("TLS handshake with a client failed", metadata: ["error": "\(error)"])
            }
        }
    }
}
