import Foundation
import Glibc
import HTTPTypes

/// One keep-alive HTTP/1.1 connection to 127.0.0.1, for one thread, which it blocks.
struct LoadConnection: ~Copyable {
    private let socket: CInt
    private var received: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 16 * 1024)

    init(port: Int) throws(BenchmarkFailure) {
        socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        let address = sockaddr_in.loopback(port: port)
        guard address.withPointer({ connect(socket, $0, $1) }) == 0 else {
            throw BenchmarkFailure("Cannot connect to 127.0.0.1:\(port): \(String(cString: strerror(errno)))")
        }
        disableNagle(socket)
    }

    deinit { close(socket) }

    /// Sends a request and waits for its response.
    ///
    /// The response is parsed later, by ``lastResponse``: parsing here would count as the server's time.
    /// - Returns: the status.
    mutating func exchange(_ request: [UInt8]) throws(BenchmarkFailure) -> Int {
        received.removeAll(keepingCapacity: true)
        guard sendAll(request[...], to: socket) else { throw Self.closed }
        var response: (status: Int, bytes: Int)?
        while response.map({ received.count < $0.bytes }) ?? true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { throw Self.closed }
            received += buffer[..<count]
            if response == nil { response = ReceivedResponse.length(received[...]) }
        }
        return response?.status ?? 0
    }

    /// The response of the last exchange.
    var lastResponse: ReceivedResponse? { ReceivedResponse(received[...]) }

    /// Sends a request and returns the response's body.
    /// - Throws: ``BenchmarkFailure`` for any other status than `status`.
    mutating func body(of request: PreparedRequest, expecting status: Int = 200) throws -> Data {
        try check(try exchange(request.bytes), of: request, expecting: status)
        return Data(lastResponse?.body ?? [])
    }

    /// Throws ``BenchmarkFailure`` if the last response has any other status than the expected one.
    func check(_ actual: Int, of request: PreparedRequest, expecting status: Int) throws(BenchmarkFailure) {
        guard actual != status else { return }
        let body = String(decoding: lastResponse?.body ?? [], as: UTF8.self)
        throw BenchmarkFailure("\(request.name) was answered with \(actual) instead of \(status): \(body)")
    }

    private static var closed: BenchmarkFailure { BenchmarkFailure("The server closed a connection") }
}

/// A request, serialized.
struct PreparedRequest: Sendable {
    /// The method and the path, for messages.
    let name: String
    let bytes: [UInt8]
    /// The shard whose row the request's statements lock; requests of one shard keep their order in a replay.
    let shard: UInt8?

    init(
        _ method: HTTPRequest.Method,
        _ path: String,
        token: String? = nil,
        key: String? = nil,
        body: String? = nil,
        shard: UInt8? = nil
    ) {
        name = "\(method.rawValue) \(path)"
        var lines = ["\(name) HTTP/1.1", "Host: 127.0.0.1"]
        if let token { lines.append("Authorization: Bearer \(token)") }
        if let key { lines.append("Idempotency-Key: \(key)") }
        if let body { lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
        bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")).utf8)
        self.shard = shard
    }
}

/// A response over HTTP/1.1, parsed as far as a measurement needs.
struct ReceivedResponse: Sendable, Hashable {
    struct Header: Codable, Sendable, Hashable {
        let name: String
        let value: String
    }

    fileprivate static let blankLine = Array("\r\n\r\n".utf8)

    let status: Int
    let headers: [Header]
    let body: [UInt8]

    /// Returns the status and total length of the response at the beginning of `bytes`; nil while its head is
    /// incomplete.
    ///
    /// A response without `Content-Length` has no body: the measured servers send no chunks.
    static func length(_ bytes: ArraySlice<UInt8>) -> (status: Int, bytes: Int)? {
        guard let end = bytes.firstRange(of: blankLine)?.lowerBound else { return nil }
        let (status, headers) = head(bytes[..<end])
        let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) }
        return (status, end - bytes.startIndex + blankLine.count + (length ?? 0))
    }

    fileprivate static func head(_ bytes: ArraySlice<UInt8>) -> (status: Int, headers: [Header]) {
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        let headers = lines.dropFirst().compactMap { line -> Header? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return Header(name: String(line[..<colon]), value: value)
        }
        return (words.count > 1 ? Int(words[1]) ?? 0 : 0, headers)
    }
}

extension ReceivedResponse {
    /// Parses a complete response; nil without a complete head.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let end = bytes.firstRange(of: Self.blankLine) else { return nil }
        let head = Self.head(bytes[..<end.lowerBound])
        self.init(status: head.status, headers: head.headers, body: Array(bytes[end.upperBound...]))
    }
}

extension sockaddr_in {
    /// Returns the address of a port of 127.0.0.1; port 0 is any free port.
    static func loopback(port: Int) -> Self {
        var address = Self()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        return address
    }

    /// Passes the address to a system call.
    func withPointer(_ call: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        withUnsafePointer(to: self) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<Self>.size)) }
        }
    }
}

/// Returns a socket that listens on a free port of 127.0.0.1, and the port.
///
/// No program that this process starts inherits the socket.
/// - Throws: ``BenchmarkFailure`` without a free port.
func listenOnLoopback() throws(BenchmarkFailure) -> (socket: CInt, port: Int) {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var own = sockaddr_in.loopback(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening =
        own.withPointer { bind(listener, $0, $1) } == 0 && listen(listener, SOMAXCONN) == 0
        && withUnsafeMutablePointer(to: &own) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) == 0 }
        }
    guard isListening else { throw BenchmarkFailure("The relay cannot listen: \(String(cString: strerror(errno)))") }
    return (listener, Int(in_port_t(bigEndian: own.sin_port)))
}

/// Sets TCP_NODELAY.
func disableNagle(_ socket: CInt) {
    var on: CInt = 1
    setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
}

/// Writes all bytes to a blocking socket.
/// - Returns: false if the peer has closed the connection.
func sendAll(_ bytes: ArraySlice<UInt8>, to socket: CInt) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        guard count > 0 else { return false }
        rest.removeFirst(count)
    }
    return true
}
