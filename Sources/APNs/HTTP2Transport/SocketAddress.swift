import Glibc

/// An IP address and port, as a `sockaddr`.
struct SocketAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    private init(_ address: UnsafePointer<sockaddr>, count: socklen_t) {
        self.bytes = unsafe Array(UnsafeRawBufferPointer(start: address, count: Int(count)))
    }

    /// The reason why a name cannot be resolved.
    struct ResolutionFailure: Error, Equatable {
        let reason: String
    }

    /// Returns the addresses of a host, in the system's order of preference.
    ///
    /// Blocks during the DNS query. There is no cache, since Apple requires a query before each connection to APNs.
    /// Passive addresses are for listening, others for connecting.
    static func resolve(host: String, port: Int, isPassive: Bool = false) throws(ResolutionFailure) -> [SocketAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV | (isPassive ? AI_PASSIVE : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else { throw ResolutionFailure(reason: unsafe String(cString: gai_strerror(status))) }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var entry = unsafe list
        while let current = unsafe entry {
            if let address = unsafe current.pointee.ai_addr {
                unsafe addresses.append(SocketAddress(address, count: current.pointee.ai_addrlen))
            }
            unsafe entry = current.pointee.ai_next
        }
        return addresses
    }

    /// Returns the address that a socket is bound to.
    static func local(of socket: CInt) -> SocketAddress? {
        var storage = sockaddr_storage()
        var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe getsockname(socket, address, &count) == 0 else { return nil }
                return unsafe SocketAddress(address, count: count)
            }
        }
    }

    /// Creates a non-blocking socket of the address's family.
    func makeSocket() -> Descriptor? {
        let family = unsafe withPointer { address, _ in unsafe address.pointee.sa_family }
        let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = socket(CInt(family), CInt(kind), 0)
        return descriptor >= 0 ? Descriptor(owning: descriptor) : nil
    }

    /// Calls a closure with the address as a C pointer.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        // Copied for alignment.
        var storage = sockaddr_storage()
        unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, socklen_t(bytes.count)) }
        }
    }

    /// The port.
    var port: Int? { Int(numeric().port) }

    private func numeric() -> (host: String, port: String) {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let status = unsafe withPointer { address, count in
            unsafe getnameinfo(
                address,
                count,
                &host,
                socklen_t(host.count),
                &port,
                socklen_t(port.count),
                NI_NUMERICHOST | NI_NUMERICSERV
            )
        }
        guard status == 0 else { return ("?", "?") }
        func text(_ characters: [CChar]) -> String {
            String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        return (text(host), text(port))
    }
}

extension SocketAddress: CustomStringConvertible {
    /// The address and port, for example `192.0.2.1:443` or `[2001:db8::1]:443`.
    var description: String {
        let (host, port) = numeric()
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// Disables Nagle's algorithm, since the transport coalesces output itself.
func disableDelay(of socket: Descriptor) {
    var on: CInt = 1
    _ = unsafe setsockopt(socket.rawValue, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
}
