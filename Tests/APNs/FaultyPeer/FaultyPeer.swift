import Foundation
import HTTP2Transport

/// An HTTP/2 server that misbehaves on purpose, for tests that want their peer in a process of its own.
///
/// Usage: `faulty-peer CERTIFICATE KEY DEED…`; it prints `Listening on 127.0.0.1:PORT` and serves until its input ends.
@main
struct FaultyPeer {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count > 2, let deed = Deed(Array(words[2...])) else {
            print("Usage: faulty-peer CERTIFICATE KEY DEED…")
            exit(2)
        }
        let identity = TLSIdentity(
            certificateChainPEM: try String(contentsOfFile: words[0], encoding: .utf8),
            privateKeyPEM: try String(contentsOfFile: words[1], encoding: .utf8)
        )
        var configuration = HTTP2Server.Configuration(identity: identity)
        deed.configure(&configuration)
        let server = try HTTP2Server(configuration: configuration, handler: DeedHandler(deed))
        print("Listening on 127.0.0.1:\(server.port)")
        fflush(nil)
        // The input ends when whoever started it is gone.
        withExtendedLifetime(server) { while readLine() != nil {} }
    }
}
