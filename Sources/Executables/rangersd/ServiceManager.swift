import Foundation
import Logging

/// The service manager that started the process, where it wants to hear how far the process is (sd_notify(3)).
///
/// systemd names a datagram socket in `NOTIFY_SOCKET` for units of `Type=notify`: `systemctl start` and what is ordered
/// behind the unit then wait until the node serves, and not only until it was started.
struct ServiceManager: Sendable {
    /// What there is to tell.
    enum State: String {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
    }

    /// Where it listens: a path, or a name in the abstract namespace behind an `@`; nil when nobody wants to know.
    let socketName: String?
    let logger: Logger

    /// Who is named in the environment.
    init(environment: [String: String], logger: Logger) {
        socketName = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        self.logger = logger
    }

    /// Tells it, if it wants to know.
    ///
    /// A failure is logged: what the node does for its players does not depend on it.
    func tell(_ state: State) {
        guard let socketName else { return }
        let errno = Self.send(state.rawValue, to: socketName)
        guard errno != 0 else { return }
        logger.warning(
            "the service manager could not be told",
            metadata: ["state": "\(state.rawValue)", "why": "\(String(cString: strerror(errno)))"]
        )
    }

    /// Sends one datagram.
    /// - Returns: 0, or why it was not sent, as `errno` has it.
    private static func send(_ text: String, to socketName: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(socketName.utf8)
        // The abstract namespace is that of names that begin with a zero byte; they end with the address's length.
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return ENAMETOOLONG }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)

        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let sent = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                sendto(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL), address, length)
            }
        }
        return sent < 0 ? errno : 0
    }
}
