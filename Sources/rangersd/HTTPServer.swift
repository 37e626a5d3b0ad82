import NIOCore
import PartyAPI
import ServiceLifecycle

/// The API on its port; a port that cannot be had is explained.
struct HTTPServer: Service {
    let api: PartyAPI
    let host: String
    let port: Int
    let limits: ServingLimits
    /// Nil for plain HTTP.
    let tls: TLSContext?
    let onServing: @Sendable (Int) -> Void

    func run() async throws {
        do {
            try await api.server(host: host, port: port, limits: limits, tls: tls) { onServing($0) }.run()
        } catch let error as IOError {
            throw RangersdFailure(listeningOn: host, port: port, errno: error.errnoCode)
        } catch is SocketAddressError.UnknownHost {
            throw RangersdFailure(explanation: "cannot listen on \(host): there is no such host (RANGERS_HTTP_HOST)")
        }
    }
}
