import Foundation
import HTTP2Transport

/// An HTTP/2 server with faults, for tests that need a peer in another process.
///
/// Usage: `faulty-peer CERTIFICATE KEY FAULT…`; it prints `Listening on 127.0.0.1:PORT` and serves until its input
/// ends.
@main
struct FaultyPeer {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count > 2, let fault = Fault(Array(words[2...])) else {
            print("Usage: faulty-peer CERTIFICATE KEY FAULT…")
            exit(2)
        }
        let identity = TLSIdentity(
            certificateChainPEM: try String(contentsOfFile: words[0], encoding: .utf8),
            privateKeyPEM: try String(contentsOfFile: words[1], encoding: .utf8)
        )
        var configuration = HTTP2Server.Configuration(identity: identity)
        fault.configure(&configuration)
        let server = try HTTP2Server(configuration: configuration, handler: FaultHandler(fault))
        print("Listening on 127.0.0.1:\(server.port)")
        fflush(nil)
        // The input ends when the parent process exits.
        withExtendedLifetime(server) { while readLine() != nil {} }
    }
}
