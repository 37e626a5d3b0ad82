import Foundation
import Logging

/// Notifies the service manager that started the process (sd_notify(3)).
///
/// For units of `Type=notify`, systemd sets `NOTIFY_SOCKET` to a datagram socket. `systemctl start`, and units ordered
/// after this one, then wait until the node serves.
struct ServiceNotifier: Sendable {
    /// A state of the process.
    enum State: String {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
    }

    /// The socket: a path, or `@` and a name in the abstract namespace; nil without a notification socket.
    let socketName: String?
    let logger: Logger

    /// Creates a notifier from the environment.
    init(environment: [String: String], logger: Logger) {
        socketName = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        self.logger = logger
    }

    /// Sends a state to the service manager, if it has a notification socket.
    ///
    /// An error is only logged, because players do not depend on the notification.
    func notify(_ state: State) {
        guard let socketName else { return }
        let errno = Self.send(state.rawValue, to: socketName)
        guard errno != 0 else { return }
        logger.warning(
            "the service manager could not be notified",
            metadata: ["state": "\(state.rawValue)", "reason": "\(String(cString: strerror(errno)))"]
        )
    }

    /// Sends a datagram.
    /// - Returns: 0, or the `errno` of the failure.
    private static func send(_ text: String, to socketName: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(socketName.utf8)
        // Names in the abstract namespace begin with a zero byte, and the length of the address ends them.
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
