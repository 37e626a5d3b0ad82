import ArgumentParser
import Foundation
import RangersSettings

/// The options of commands that use a server.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server; the default is RANGERS_SERVER, that of the context, or http://127.0.0.1:8081.",
            valueName: "url"
        )
    )
    var server: String?

    @Option(
        help: ArgumentHelp(
            "A file with the operator's token; the default is the token in RANGERS_OPERATOR_TOKEN, or that of the context.",
            valueName: "file"
        ),
        completion: .file()
    )
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A context whose server and token take precedence over the environment; see `rangersctl context`.",
            valueName: "name"
        )
    )
    var context: String?

    @Flag(help: "Print the server's JSON, for scripts.")
    var json = false

    @Option(
        parsing: .unconditional,
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

    /// Creates a client from the options, the environment and the user's contexts.
    func client(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(OperatorClientError) -> OperatorClient {
        let (server, token) = try connection(environment: environment)
        return try OperatorClient(
            server: try Self.url(of: server),
            token: try token.read(),
            timeout: timeout.map { .seconds($0) } ?? OperatorClient.defaultTimeout,
            environment: environment
        )
    }

    /// Returns the server and the token's source.
    ///
    /// Each of the two comes from the first source that has it: its option, the context of `--context`, the
    /// environment, the current context. The file of the contexts is read only if it is needed.
    func connection(
        environment: [String: String]
    ) throws(OperatorClientError) -> (server: String, token: OperatorTokenSource) {
        var address = server
        var source = tokenFile.map(OperatorTokenSource.file)
        func use(_ context: ServerContext?) {
            address = address ?? context?.server
            source = source ?? context?.token.map(OperatorTokenSource.context)
        }
        let file = ServerContextFile(environment: environment)
        if let context { use(try (try file?.read() ?? ServerContexts()).context(named: context)) }
        address = address ?? environment["RANGERS_SERVER"]
        source = source ?? environment["RANGERS_OPERATOR_TOKEN"].map { .text(Secret($0)) }
        if context == nil, address == nil || source == nil {
            use(try file?.read().currentContext)
        }
        guard let source else {
            throw .wrongUsage(
                "no operator token: set RANGERS_OPERATOR_TOKEN, or use --token-file or a context ('rangersctl context set'); "
                    + OperatorTokenSource.remedy
            )
        }
        return (address ?? "http://127.0.0.1:8081", source)
    }

    /// Parses the URL of a server.
    static func url(of address: String) throws(OperatorClientError) -> URL {
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host() != nil else {
            throw .wrongUsage("\"\(address)\" is not a server URL; write it as http://127.0.0.1:8081")
        }
        return url
    }
}
