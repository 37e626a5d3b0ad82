import Foundation
import Logging
import Testing

@testable import RangersNode

@Suite struct ServiceManagerTests {
    @Test(arguments: [false, true])
    func `each state is sent in a datagram of its own`(isAbstract: Bool) throws {
        let name = "\(isAbstract ? "@" : "/tmp/")rangers-notify-\(UUID().uuidString)"
        let listener = try Listener(name)
        defer { listener.end() }
        let manager = ServiceNotifier(environment: ["NOTIFY_SOCKET": name], logger: Logger(label: "test"))
        manager.notify(.ready)
        manager.notify(.stopping)
        #expect(listener.next() == "READY=1")
        #expect(listener.next() == "STOPPING=1")
    }

    @Test(arguments: [nil, "", "/nowhere/at/all", String(repeating: "x", count: 200)])
    func `a missing notification socket is not an error`(socket: String?) {
        var environment: [String: String] = [:]
        environment["NOTIFY_SOCKET"] = socket
        let manager = ServiceNotifier(environment: environment, logger: Logger(label: "test"))
        #expect(manager.socketName == (socket == "" ? nil : socket))
        manager.notify(.ready)
    }

    /// A named datagram socket like systemd's.
    private struct Listener {
        private let descriptor: Int32
        private let name: String

        init(_ name: String) throws {
            self.name = name
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var bytes = Array(name.utf8)
            if name.hasPrefix("@") { bytes[0] = 0 }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
            let isBound = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
            }
            try #require(isBound)
        }

        /// Returns the next datagram, which has arrived when the sending call to a local socket returns.
        func next() -> String? {
            var bytes = [UInt8](repeating: 0, count: 100)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
        }

        func end() {
            close(descriptor)
            if name.hasPrefix("/") { unlink(name) }
        }
    }
}
