import NIOCore
import NIOPosix
import Synchronization

/// A TCP server on a free port whose connections a test handles.
enum TCPServer {
    typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Serves while a test runs; open connections are closed at its end.
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
                            // These tests break connections on purpose.
                            group.addTask { try? await serve(connection) }
                        }
                    }
                }
            }
            try await test(port)
            group.cancelAll()
        }
    }

    /// Forwards requests to a server and responses back, and closes the connection instead of forwarding some
    /// responses.
    /// - Parameters:
    ///   - port: the port of the server.
    ///   - isLost: returns whether the response to a request is lost.
    ///   - test: runs with the port of the forwarder.
    /// - Throws: the error of the test.
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
            let pending = PendingRequest()
            try await connection.executeThenClose { requests, toClient in
                try await server.executeThenClose { responses, toServer in
                    try await withThrowingTaskGroup { group in
                        group.addTask {
                            for try await part in requests {
                                pending.add(part)
                                try await toServer.write(part)
                            }
                        }
                        group.addTask {
                            for try await part in responses {
                                if isLost(pending.take()) { return }
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

/// The request data since the last response began.
private final class PendingRequest: Sendable {
    private let text = Mutex("")

    func add(_ part: ByteBuffer) { text.withLock { $0 += String(buffer: part) } }

    func take() -> String {
        text.withLock { text in
            defer { text = "" }
            return text
        }
    }
}
