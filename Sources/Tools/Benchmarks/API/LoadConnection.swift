import Glibc

/// One kept connection to a server on 127.0.0.1, for one thread, which it blocks.
struct LoadConnection: ~Copyable {
    private let socket: CInt
    private var received: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 16 * 1024)

    init(port: Int) throws(MeasurementFailure) {
        socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            throw MeasurementFailure("No connection to 127.0.0.1:\(port): \(String(cString: strerror(errno)))")
        }
        var on: CInt = 1
        setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
    }

    deinit { close(socket) }

    /// Sends a request and waits for its answer.
    ///
    /// What the answer says is left to be read later, by ``lastAnswer``: here it would count as the server's time.
    /// - Returns: its status.
    mutating func exchange(_ request: [UInt8]) throws(MeasurementFailure) -> Int {
        received.removeAll(keepingCapacity: true)
        var sent = 0
        while sent < request.count {
            let count = request.withUnsafeBytes { bytes in
                send(socket, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Self.lost }
            sent += count
        }
        var whole: (status: Int, bytes: Int)?
        while whole.map({ received.count < $0.bytes }) ?? true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { throw Self.lost }
            received += buffer[..<count]
            if whole == nil { whole = ReceivedAnswer.length(received[...]).map { ($0.status, $0.whole) } }
        }
        return whole?.status ?? 0
    }

    /// What came with the last exchange.
    var lastAnswer: ReceivedAnswer? { ReceivedAnswer(received[...]) }

    private static var lost: MeasurementFailure { MeasurementFailure("The server has closed a connection") }
}
