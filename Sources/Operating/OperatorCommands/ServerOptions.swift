import ArgumentParser
import Foundation

/// What every command needs that talks to a server.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The server; otherwise RANGERS_SERVER, or http://127.0.0.1:8081.", valueName: "url")
    )
    var server: String?

    @Option(
        help: ArgumentHelp(
            "A file that holds the operator's token; otherwise it is in RANGERS_OPERATOR_TOKEN.",
            valueName: "file"
        )
    )
    var tokenFile: String?

    @Flag(help: "Print the server's JSON, for scripts.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "How long to wait for an answer; 45 seconds unless told, which is longer than a server takes.",
            valueName: "seconds"
        )
    )
    var timeout: Int?

    func validate() throws {
        guard (1...3_600).contains(timeout ?? 1) else { throw ValidationError("--timeout takes 1 to 3600 seconds.") }
    }

    /// A client of the server that is meant.
    func client(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(OperatorClientError) -> OperatorClient {
        let address = server ?? environment["RANGERS_SERVER"] ?? "http://127.0.0.1:8081"
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host() != nil else {
            throw .wrongUsage("\"\(address)\" is no server; write it like http://127.0.0.1:8081")
        }
        return try OperatorClient(
            server: url,
            token: try token(environment: environment),
            patience: timeout.map { .seconds($0) } ?? OperatorClient.standardPatience,
            environment: environment
        )
    }

    private func token(environment: [String: String]) throws(OperatorClientError) -> String {
        let text: String
        if let tokenFile {
            do {
                text = try String(contentsOf: URL(filePath: tokenFile), encoding: .utf8)
            } catch {
                throw .wrongUsage("the token file \(tokenFile) cannot be read; is it there, and yours?")
            }
        } else if let given = environment["RANGERS_OPERATOR_TOKEN"] {
            text = given
        } else {
            throw .wrongUsage(
                "an operator's token is missing: set RANGERS_OPERATOR_TOKEN or give --token-file; "
                    + "rangersd operator create makes one"
            )
        }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .wrongUsage("the operator's token is empty or no token; rangersd operator create prints one")
        }
        return token
    }
}
