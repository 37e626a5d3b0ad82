import HTTP2Transport
import Testing

@testable import APNsClient

/// The configuration of a client's transport.
struct ConfigurationTests {
    private func transports(
        _ change: (inout APNsClient.Configuration) -> Void = { _ in }
    ) throws -> [HTTP2Client.Configuration] {
        var configuration = APNsClient.Configuration(environment: .sandbox, providerKey: try makeProviderKey())
        change(&configuration)
        return [configuration.transport, configuration.channelTransport]
    }

    @Test func `the transport has the client's limits`() throws {
        let transports = try transports {
            $0.requestTimeout = .seconds(1)
            $0.connectTimeout = .seconds(2)
            $0.maxConnections = 5
        }
        #expect(transports.map(\.requestTimeout) == [.seconds(1), .seconds(1)])
        #expect(transports.map(\.connectTimeout) == [.seconds(2), .seconds(2)])
        #expect(transports.map(\.maxConnections) == [5, 5])
    }

    /// Apple counts changes of the provider token on each connection; the other reasons are about the connection
    /// itself.
    @Test func `some reasons end the connection, including too many changes of the provider token`() throws {
        let rows = APNsReasonTests.pushes + APNsReasonTests.broadcasts
        for transport in try transports() {
            let ending = rows.filter { transport.endsConnection(reject($0.status, $0.text)) }.map(\.text)
            let expected = ["IdleTimeout", "UnrelatedKeyIdInToken", "TooManyProviderTokenUpdates", "Shutdown"]
            #expect(Set(ending) == Set(expected))
            #expect(!transport.endsConnection(HTTP2Response(status: 200)))
        }
    }
}
