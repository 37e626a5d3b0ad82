import NIOCore
import ServiceLifecycle

/// Something that listens on a port; a port that cannot be had is explained.
struct ListeningServer: Service {
    let server: any Service
    let host: String
    let port: Int
    /// What sets port and host, for whoever has to choose others.
    let names: (port: String, host: String)

    func run() async throws {
        do {
            try await server.run()
        } catch let error as IOError {
            throw RangersdFailure(listeningOn: host, port: port, errno: error.errnoCode, set: names)
        } catch is SocketAddressError.UnknownHost {
            throw RangersdFailure(explanation: "cannot listen on \(host): there is no such host (\(names.host))")
        }
    }
}
