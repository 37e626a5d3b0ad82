import ArgumentParser
import Foundation
import HTTP2Transport

/// A server that takes every push, in a process of its own, until its input ends.
struct PushServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "push-server", shouldDisplay: false)

    /// Where to write the authority's certificate.
    @Option var caFile: String

    private struct Acceptance: HTTP2RequestHandler {
        let answer = HTTP2Response(
            status: 200,
            headers: [HTTP2Header("apns-id", "0190a5b2-7c1e-7d3f-8a4b-5c6d7e8f9a0b", isIndexed: false)]
        )

        func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? { answer }
    }

    func run() throws {
        let authority = try CertificateAuthority(name: "rangers-bench")
        let identity = try authority.issueIdentity(for: ["127.0.0.1"])
        try authority.certificatePEM.write(toFile: caFile, atomically: true, encoding: .utf8)
        let server = try HTTP2Server(configuration: .init(identity: identity), handler: Acceptance())
        ReadyLine.print(port: server.port)
        ReadyLine.awaitEndOfInput()
        // The server ends with its last reference.
        withExtendedLifetime(server) {}
    }
}
