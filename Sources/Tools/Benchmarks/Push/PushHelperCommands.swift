import ArgumentParser
import Foundation
import HTTP2Transport
import ServiceRuntime

/// A helper process that runs our client once, so that it can be pinned and its CPU time measured.
struct PushClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "push-client", shouldDisplay: false)

    @Option var server: HostPort
    @Option var caFile: String?
    @Option var style: PushStyle
    @Option var pushes: Int
    @Option var connections: Int
    @Option var streams: Int

    func run() async throws {
        let run = PushClientRun(
            server: PushServer(address: server, caFile: caFile),
            style: style,
            pushes: pushes,
            connections: connections,
            streams: streams
        )
        print(String(decoding: try JSONEncoder().encode(await run.measure()), as: UTF8.self))
    }
}

extension PushStyle: ExpressibleByArgument {}

/// A helper process that delays the traffic to a server.
struct PushRelayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "push-relay", shouldDisplay: false)

    @Option var server: HostPort
    /// The delay in each direction.
    @Option var milliseconds: Int
    @Option var readyFile: String

    func run() throws {
        let relay = try DelayRelay(to: server, delay: .milliseconds(milliseconds))
        relay.start()
        HelperCommand.serve(port: relay.port, readyFile: readyFile)
    }
}

/// A helper process with an APNs server that accepts every push.
struct PushServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "push-server", shouldDisplay: false)

    /// The file to which the certificate authority is written.
    @Option var caFile: String
    /// The file to which each push is written as a ``PushArrival``.
    @Option var record: String?
    @Option var readyFile: String

    private struct Acceptance: HTTP2RequestHandler {
        let response = HTTP2Response(
            status: 200,
            headers: [HTTP2Header("apns-id", "0190a5b2-7c1e-7d3f-8a4b-5c6d7e8f9a0b", isIndexed: false)]
        )
        let log: PushArrivalLog?

        func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
            if let log,
                let arrival = PushArrival(
                    path: request.path,
                    priority: request.headers["apns-priority"],
                    body: request.body,
                    at: Runtime.system.now()
                )
            {
                log.append(arrival)
            }
            return response
        }
    }

    func run() throws {
        let authority = try CertificateAuthority(name: "rangers-bench")
        let identity = try authority.issueIdentity(for: ["127.0.0.1"])
        try authority.certificatePEM.write(toFile: caFile, atomically: true, encoding: .utf8)
        let acceptance = Acceptance(log: try record.map { try PushArrivalLog(path: $0) })
        let server = try HTTP2Server(configuration: .init(identity: identity), handler: acceptance)
        // The server stops with its last reference.
        withExtendedLifetime(server) { HelperCommand.serve(port: server.port, readyFile: readyFile) }
    }
}
