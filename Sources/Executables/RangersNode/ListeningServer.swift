import NIOCore
import ServiceLifecycle

/// Runs a server, and explains errors of binding its port.
struct ListeningServer: Service {
    let server: any Service
    let host: String
    let port: Int
    /// The names of the settings or options for port and host, for errors.
    let names: (port: String, host: String)

    func run() async throws {
        do {
            try await server.run()
        } catch let error as IOError {
            throw RangersdFailure(listeningOn: host, port: port, errno: error.errnoCode, names: names)
        } catch is SocketAddressError.UnknownHost {
            throw RangersdFailure(explanation: "cannot listen on \(host): unknown host (\(names.host))")
        }
    }
}
