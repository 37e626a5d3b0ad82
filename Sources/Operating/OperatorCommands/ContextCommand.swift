import ArgumentParser
import CommandLineSupport
import Foundation
import RangersSettings

/// `rangersctl context`: named servers with their tokens.
struct ContextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "context",
        abstract: "Manages contexts: named servers with an operator's token.",
        discussion: """
            Server and token each come from the first of these sources that has it: the options --server and \
            --token-file, the context of --context, the variables RANGERS_SERVER and RANGERS_OPERATOR_TOKEN, the current \
            context.

            The contexts are in rangersctl/config.json in XDG_CONFIG_HOME, or else in ~/.config, with mode 600. A file that \
            other users can access is refused, and so is a token file of a context. No command prints a token.

            Examples:
              rangersctl context set staging --server https://staging.example.com --token-file ~/staging.token
              rangersctl context use staging
              rangersctl stats --context staging
            """,
        subcommands: [List.self, Show.self, Use.self, Set.self, Remove.self]
    )

    /// `rangersctl context list`: lists the contexts.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the contexts, with a star at the current one.")

        @OptionGroup var output: ContextOutputOptions

        func run() throws {
            try output.show(ContextList(try ServerContextFile.ofThisProcess().read()))
        }
    }

    /// `rangersctl context show`: shows a context.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the current context, or another one, without its token."
        )

        @Argument(help: ArgumentHelp("The context; by default the current one.", valueName: "name"))
        var name: ContextName?

        @OptionGroup var output: ContextOutputOptions

        func run() throws {
            let contexts = try ServerContextFile.ofThisProcess().read()
            guard let name = name?.text ?? contexts.current else {
                throw OperatorClientError.wrongUsage(
                    "no context is selected; 'rangersctl context use NAME' selects one"
                )
            }
            try output.show(try contexts.details(of: name))
        }
    }

    /// `rangersctl context use`: makes a context the current one.
    struct Use: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a context the current one, whose server and token commands use.",
            discussion: """
                Examples:
                  rangersctl context use staging
                """
        )

        @Argument(help: ArgumentHelp("The context.", valueName: "name"))
        var name: ContextName

        @OptionGroup var output: ContextOutputOptions

        func run() throws {
            let file = try ServerContextFile.ofThisProcess()
            var contexts = try file.read()
            _ = try contexts.context(named: name.text)
            contexts.current = name.text
            try file.write(contexts)
            try output.show(try contexts.details(of: name.text))
            for variable in ["RANGERS_SERVER", "RANGERS_OPERATOR_TOKEN"]
            where ProcessInfo.processInfo.environment[variable] != nil {
                StandardError.print("\(variable) is set and takes precedence over the context.")
            }
        }
    }

    /// `rangersctl context set`: creates or changes a context.
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a context, or changes its server or its token.",
            discussion: """
                A token is never an argument, which every user of the machine could read. --token-file stores only the \
                path; --token-stdin stores the token itself.

                Examples:
                  rangersctl context set staging --server https://staging.example.com --token-file ~/staging.token
                  rangersctl context set staging --token-stdin < staging.token
                """
        )

        @Argument(help: ArgumentHelp("The context: letters, digits and '-_.', at most 64.", valueName: "name"))
        var name: ContextName

        @Option(help: ArgumentHelp("The server; required for a new context.", valueName: "url"))
        var server: String?

        @Option(
            help: ArgumentHelp("The path of a file with the operator's token, mode 600.", valueName: "file"),
            completion: .file()
        )
        var tokenFile: String?

        @Flag(help: "Read the operator's token from standard input, and store it.")
        var tokenStdin = false

        @OptionGroup var output: ContextOutputOptions

        func validate() throws {
            guard tokenFile == nil || !tokenStdin else {
                throw ValidationError("--token-file and --token-stdin exclude each other.")
            }
            guard server != nil || tokenFile != nil || tokenStdin else {
                throw ValidationError("Specify --server, --token-file or --token-stdin.")
            }
        }

        func run() throws {
            let file = try ServerContextFile.ofThisProcess()
            var contexts = try file.read()
            guard let server = server ?? contexts.contexts[name.text]?.server else {
                throw OperatorClientError.wrongUsage("--server is required, since there is no context \(name.text)")
            }
            _ = try ServerOptions.url(of: server)
            contexts.contexts[name.text] = ServerContext(
                server: server,
                token: try newToken() ?? contexts.contexts[name.text]?.token
            )
            try file.write(contexts)
            try output.show(try contexts.details(of: name.text))
            if contexts.current == nil {
                StandardError.print("To use it by default: rangersctl context use \(name.text)")
            }
        }

        /// Reads and checks the token that the options name; nil for none.
        private func newToken() throws -> ServerContext.Token? {
            let token: ServerContext.Token
            if let tokenFile {
                token = .file(URL(filePath: tokenFile).standardizedFileURL.path(percentEncoded: false))
            } else if tokenStdin {
                guard isatty(STDIN_FILENO) == 0 else {
                    throw OperatorClientError.wrongUsage("pass the token on standard input, as in '< FILE'")
                }
                let input = String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
                return .stored(Secret(try OperatorTokenSource.text(Secret(input)).read()))
            } else {
                return nil
            }
            _ = try OperatorTokenSource.context(token).read()
            return token
        }
    }

    /// `rangersctl context remove`: removes a context.
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Removes a context with its stored token.")

        @Argument(help: ArgumentHelp("The context.", valueName: "name"))
        var name: ContextName

        @OptionGroup var output: ContextOutputOptions

        func run() throws {
            let file = try ServerContextFile.ofThisProcess()
            var contexts = try file.read()
            _ = try contexts.context(named: name.text)
            contexts.contexts[name.text] = nil
            if contexts.current == name.text { contexts.current = nil }
            try file.write(contexts)
            try output.show(ContextList(contexts))
        }
    }
}

/// The name of a context: ASCII letters, digits and `-_.`.
struct ContextName: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard argument.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]{0,63}/) != nil else { return nil }
        text = argument
    }
}

/// The options of the commands of contexts.
struct ContextOutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, for scripts.")
    var json = false

    /// Prints a value as JSON with `--json`, otherwise as lines for people.
    func show(_ value: some Encodable & HumanReadable) throws {
        if json {
            print(try value.sortedJSON)
        } else {
            for line in value.lines(fitting: Terminal.columns, paint: Terminal.paint) { print(line) }
        }
    }
}

extension ServerContexts {
    /// Returns a context for output.
    fileprivate func details(of name: String) throws(OperatorClientError) -> ContextDetails {
        ContextDetails(name, try context(named: name), isCurrent: current == name)
    }
}

extension ServerContextFile {
    /// Returns the file of the user who runs this process.
    fileprivate static func ofThisProcess() throws(OperatorClientError) -> Self {
        guard let file = Self(environment: ProcessInfo.processInfo.environment) else {
            throw .wrongUsage("the folder of the contexts is unknown: set HOME or XDG_CONFIG_HOME")
        }
        return file
    }
}

/// A context without its token.
struct ContextDetails: Encodable, HumanReadable {
    /// The location of a token.
    enum TokenLocation: String, Encodable {
        case file
        case stored
        case none
    }

    let name: String
    let isCurrent: Bool
    let server: String
    let tokenLocation: TokenLocation
    let tokenFile: String?

    init(_ name: String, _ context: ServerContext, isCurrent: Bool) {
        self.name = name
        self.isCurrent = isCurrent
        server = context.server
        switch context.token {
        case .file(let path): (tokenLocation, tokenFile) = (.file, path)
        case .stored: (tokenLocation, tokenFile) = (.stored, nil)
        case nil: (tokenLocation, tokenFile) = (.none, nil)
        }
    }

    /// The location of the token, for people.
    fileprivate var tokenText: String { tokenFile ?? tokenLocation.rawValue }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        [("Context  ", name + (isCurrent ? " (current)" : "")), ("Server   ", server), ("Token    ", tokenText)]
            .flatMap { Paragraph(beginning: $0, text: $1).lines(fitting: width) }
    }
}

/// All contexts, without their tokens.
struct ContextList: Encodable, HumanReadable {
    private let contexts: [ContextDetails]

    init(_ contexts: ServerContexts) {
        self.contexts = contexts.contexts.sorted { $0.key < $1.key }
            .map { ContextDetails($0, $1, isCurrent: $0 == contexts.current) }
    }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        guard !contexts.isEmpty else {
            return ["No contexts. To create one: rangersctl context set NAME --server URL --token-file FILE"]
        }
        return Table(
            [.init(""), .whole("NAME"), .whole("SERVER"), .whole("TOKEN")],
            rows: contexts.map { [$0.isCurrent ? "*" : "", $0.name, $0.server, $0.tokenText] }
        ).lines(fitting: width, paint: paint)
    }
}
