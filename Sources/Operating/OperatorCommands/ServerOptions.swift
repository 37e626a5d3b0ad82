import ArgumentParser
import Foundation

/// The options of commands that use a server.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The server; the default is RANGERS_SERVER, or http://127.0.0.1:8081.", valueName: "url")
    )
    var server: String?

    @Option(
        help: ArgumentHelp(
            "A file with the operator's token; the default is the token in RANGERS_OPERATOR_TOKEN.",
            valueName: "file"
        )
    )
    var tokenFile: String?

    @Flag(help: "Print the server's JSON, for scripts.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The timeout of a request; the default is 45, which is longer than the server's own timeout.",
            valueName: "seconds"
        )
    )
    var timeout: Int?

    func validate() throws {
        guard (1...3_600).contains(timeout ?? 1) else {
            throw ValidationError("--timeout must be between 1 and 3600 seconds.")
        }
    }

    /// Creates a client from the options and the environment.
    func client(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(OperatorClientError) -> OperatorClient {
        let address = server ?? environment["RANGERS_SERVER"] ?? "http://127.0.0.1:8081"
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host() != nil else {
            throw .wrongUsage("\"\(address)\" is not a server URL; write it as http://127.0.0.1:8081")
        }
        return try OperatorClient(
            server: url,
            token: try token(environment: environment),
            timeout: timeout.map { .seconds($0) } ?? OperatorClient.defaultTimeout,
            environment: environment
        )
    }

    private func token(environment: [String: String]) throws(OperatorClientError) -> String {
        let text: String
        if let tokenFile {
            do {
                text = try String(contentsOf: URL(filePath: tokenFile), encoding: .utf8)
            } catch {
                throw .wrongUsage("cannot read the token file \(tokenFile); does it exist, and is it readable?")
            }
        } else if let value = environment["RANGERS_OPERATOR_TOKEN"] {
            text = value
        } else {
            throw .wrongUsage(
                "no operator token: set RANGERS_OPERATOR_TOKEN or use --token-file; "
                    + "'rangersd operator create' makes a token"
            )
        }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .wrongUsage("the operator token is empty or malformed; 'rangersd operator create' makes a token")
        }
        return token
    }
}
