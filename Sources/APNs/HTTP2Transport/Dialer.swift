import Glibc

/// Brings up TCP connections, on a thread of its own since DNS blocks.
enum Dialer {
    /// Dials on a new thread, and calls the completion there.
    ///
    /// The number counts the connections: each begins with another address of the host, so that one which accepts and
    /// then says nothing does not stand in the way of all.
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

    /// The addresses in the order in which the connection of that number, from 1 on, tries them.
    static func order<Address>(_ addresses: [Address], forConnection number: Int) -> [Address] {
        guard !addresses.isEmpty else { return [] }
        let start = (number - 1) % addresses.count
        return Array(addresses[start...] + addresses[..<start])
    }

    /// A connected socket, from the first of the host's addresses that answers.
    ///
    /// It blocks.
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

    /// What the first of the host's addresses gives that answers; each is tried for its share of the time that is left.
    ///
    /// - Throws: what the last one says.
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
