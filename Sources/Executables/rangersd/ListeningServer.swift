import NIOCore
import ServiceLifecycle

/// A server on a port that explains errors of binding the port.
struct ListeningServer: Service {
    let server: any Service
    let host: String
    let port: Int
    /// The settings or options of port and host, for errors.
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
