import Glibc

/// Opens TCP connections, each on its own thread, since DNS queries block.
enum Dialer {
    /// Opens a connection on a new thread, and calls the completion there.
    ///
    /// The number of the connection selects the address of the host that it tries first, so that an address that
    /// accepts connections but never responds does not block all of them.
    static func dial(
        host: String,
        port: Int,
        number: Int,
        until deadline: ContinuousClock.Instant,
        completion: @escaping @Sendable (Result<Descriptor, HTTP2ConnectionEnd>) -> Void
    ) {
        do throws(TransportError) {
            try startThread(name: "http2-dial") {
                completion(
                    Result { () throws(HTTP2ConnectionEnd) in
                        try connect(host: host, port: port, number: number, until: deadline)
                    }
                )
            }
        } catch {
            completion(.failure(.unresolved(host: host, reason: error.description)))
        }
    }

    /// Returns the addresses in the order in which a connection tries them; connections are numbered from 1.
    static func order<Address>(_ addresses: [Address], forConnection number: Int) -> [Address] {
        guard !addresses.isEmpty else { return [] }
        let start = (number - 1) % addresses.count
        return Array(addresses[start...] + addresses[..<start])
    }

    /// Connects to the first of the host's addresses that responds; blocks the thread.
    private static func connect(
        host: String,
        port: Int,
        number: Int,
        until deadline: ContinuousClock.Instant
    ) throws(HTTP2ConnectionEnd) -> Descriptor {
        let addresses: [SocketAddress]
        do throws(SocketAddress.ResolutionFailure) {
            addresses = order(try SocketAddress.resolve(host: host, port: port), forConnection: number)
        } catch {
            throw .unresolved(host: host, reason: error.reason)
        }
        return try reach(host, at: addresses, until: deadline, now: { .now }, by: connect)
    }

    /// Tries addresses in order, each for its share of the remaining time.
    ///
    /// - Returns: the connection to the first address that responds.
    /// - Throws: the error of the last address.
    static func reach<Address, Connection>(
        _ host: String,
        at addresses: [Address],
        until deadline: ContinuousClock.Instant,
        now: () -> ContinuousClock.Instant,
        by connect: (Address, Duration) throws(HTTP2ConnectionEnd) -> Connection
    ) throws(HTTP2ConnectionEnd) -> Connection {
        var failure = HTTP2ConnectionEnd.unresolved(host: host, reason: "it has no address")
        for (index, address) in addresses.enumerated() {
            let share = now().duration(to: deadline) / (addresses.count - index)
            do throws(HTTP2ConnectionEnd) {
                return try connect(address, share)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func connect(
        to address: SocketAddress,
        within time: Duration
    ) throws(HTTP2ConnectionEnd) -> Descriptor {
        func failure(_ code: CInt) -> HTTP2ConnectionEnd {
            .refused(address: address.description, reason: systemErrorText(code))
        }
        guard let socket = address.makeSocket() else { throw failure(errno) }
        disableDelay(of: socket)
        let status = unsafe address.withPointer { unsafe Glibc.connect(socket.rawValue, $0, $1) }
        if status == 0 { return socket }
        guard errno == EINPROGRESS else { throw failure(errno) }
        var awaited = pollfd(fd: socket.rawValue, events: Int16(POLLOUT), revents: 0)
        let milliseconds = max(0, time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000)
        guard unsafe poll(&awaited, 1, CInt(clamping: milliseconds)) > 0 else { throw failure(ETIMEDOUT) }
        var code: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        _ = unsafe getsockopt(socket.rawValue, SOL_SOCKET, SO_ERROR, &code, &size)
        guard code == 0 else { throw failure(code) }
        return socket
    }
}
