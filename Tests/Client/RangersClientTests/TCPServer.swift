import NIOCore
import NIOPosix
import Synchronization

/// A peer at a port of its own, which does with each connection what a test wants.
enum TCPServer {
    typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Serves while a test runs; connections under way end with it.
    static func serving(
        _ serve: @escaping @Sendable (_ connection: Connection) async throws -> Void,
        _ test: @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try Connection(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: false)
                    )
                }
            }
        let port = listener.channel.localAddress?.port ?? 0
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await listener.executeThenClose { connections in
                    try await withThrowingDiscardingTaskGroup { group in
                        for try await connection in connections {
                            // A connection that breaks is what these tests are about.
                            group.addTask { try? await serve(connection) }
                        }
                    }
                }
            }
            try await test(port)
            group.cancelAll()
        }
    }

    /// Serves by sending each request on to a server and its answer back, but for the answers of some connections: there
    /// the connection is closed when the answer comes.
    static func forwarding(
        to port: Int,
        losing isLost: @escaping @Sendable (_ request: String) -> Bool,
        _ test: @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        try await serving { connection in
            let server = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: "127.0.0.1", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
                }
            let asked = Asked()
            try await connection.executeThenClose { requests, toClient in
                try await server.executeThenClose { answers, toServer in
                    try await withThrowingTaskGroup { group in
                        group.addTask {
                            for try await part in requests {
                                asked.add(part)
                                try await toServer.write(part)
                            }
                        }
                        group.addTask {
                            for try await part in answers {
                                if isLost(asked.take()) { return }
                                try await toClient.write(part)
                            }
                        }
                        try await group.next()
                        group.cancelAll()
                    }
                }
            }
        } _: {
            try await test($0)
        }
    }
}

/// What was asked since the last answer began.
private final class Asked: Sendable {
    private let text = Mutex("")

    func add(_ part: ByteBuffer) { text.withLock { $0 += String(buffer: part) } }

    func take() -> String {
        text.withLock { text in
            defer { text = "" }
            return text
        }
    }
}
