import Foundation
import RangersSettings

/// A server with an operator's token, stored under a name, so that commands need no options for them.
struct ServerContext: Equatable {
    /// The location of the token.
    enum Token: Equatable {
        /// A file, read by each command.
        case file(String)
        /// The file of the contexts.
        case stored(Secret)
    }

    /// The server's URL.
    var server: String
    /// The token; nil if the environment or an option contains it.
    var token: Token?
}

extension ServerContext: Codable {
    private enum CodingKeys: CodingKey {
        case server
        case tokenFile
        case token
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        server = try container.decode(String.self, forKey: .server)
        let file = try container.decodeIfPresent(String.self, forKey: .tokenFile).map(Token.file)
        token = try container.decodeIfPresent(String.self, forKey: .token).map { .stored(Secret($0)) } ?? file
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(server, forKey: .server)
        switch token {
        case .file(let path): try container.encode(path, forKey: .tokenFile)
        case .stored(let secret): try container.encode(secret.revealed(), forKey: .token)
        case nil: break
        }
    }
}

/// All contexts of a user, and the name of the current one.
struct ServerContexts: Codable, Equatable {
    /// The name of the context that commands use by default; nil for none.
    var current: String?
    var contexts: [String: ServerContext] = [:]

    /// The current context; nil for none.
    var currentContext: ServerContext? { current.flatMap { contexts[$0] } }

    /// Returns the context with a name.
    /// - Throws: ``OperatorClientError/wrongUsage(_:)`` for an unknown name.
    func context(named name: String) throws(OperatorClientError) -> ServerContext {
        guard let context = contexts[name] else {
            let names = contexts.keys.sorted()
            let hint =
                CommandSuggestion.nearest(to: name, among: names).map { "did you mean \($0)?" }
                ?? "'rangersctl context list' lists the contexts"
            throw .wrongUsage("unknown context \(name); \(hint)")
        }
        return context
    }
}

/// The file with a user's contexts: `rangersctl/config.json` in the user's configuration folder.
struct ServerContextFile {
    private let file: SecretFile

    /// The path of the file.
    var path: String { file.path }

    /// Finds the file by the environment.
    ///
    /// The folder is that of the XDG Base Directory Specification: `XDG_CONFIG_HOME` if it is an absolute path,
    /// otherwise `.config` in the home folder.
    /// - Returns: nil if the environment names neither folder.
    init?(environment: [String: String]) {
        let folder: String
        if let configured = environment["XDG_CONFIG_HOME"], configured.hasPrefix("/") {
            folder = configured
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            folder = "\(home)/.config"
        } else {
            return nil
        }
        file = SecretFile(path: "\(folder)/rangersctl/config.json")
    }

    /// Reads the contexts; none if the file does not exist.
    /// - Throws: ``OperatorClientError/wrongUsage(_:)`` if other users can access the file, or if it is malformed.
    func read() throws(OperatorClientError) -> ServerContexts {
        let text: String?
        do throws(TextFileError) {
            text = try file.read()
        } catch {
            throw .wrongUsage("the file of contexts \(path) \(error.reason)")
        }
        guard let text else { return ServerContexts() }
        do {
            return try JSONDecoder().decode(ServerContexts.self, from: Data(text.utf8))
        } catch {
            throw .wrongUsage("the file of contexts \(path) is malformed; repair it or delete it")
        }
    }

    /// Writes the contexts.
    /// - Throws: ``OperatorClientError/wrongUsage(_:)`` if the file cannot be written.
    func write(_ contexts: ServerContexts) throws(OperatorClientError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try file.write(String(decoding: try encoder.encode(contexts), as: UTF8.self) + "\n")
        } catch {
            let reason = (error as? TextFileError)?.reason ?? "cannot be encoded"
            throw .wrongUsage("the file of contexts \(path) \(reason)")
        }
    }
}
