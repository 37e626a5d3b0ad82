import ArgumentParser
import CommandLineSupport
import Foundation
import RangersClient

/// `rangersctl operator`: the operators and their tokens.
struct OperatorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Creates, lists and revokes operators, and replaces their tokens.",
        discussion: """
            Only operators with the role admin may use these commands. `rangersd operator` does the same with access to the \
            database: for the first admin, and if no admin has a valid token.
            """,
        subcommands: [Create.self, List.self, Revoke.self, Rotate.self]
    )

    /// `rangersctl operator create`: creates an operator and prints the token.
    struct Create: AsyncParsableCommand {
        /// The permissions of an operator.
        enum Role: String, ExpressibleByArgument, CaseIterable {
            case admin
            case viewer
        }

        static let configuration = CommandConfiguration(
            abstract: "Creates an operator, and prints the token once to standard output.",
            discussion: """
                The name of an operator whose token is revoked or expired may be reused. Without --expires the token is \
                valid until it is revoked.

                Examples:
                  rangersctl operator create alex --role admin > alex.token
                  rangersctl operator create guest --role viewer --expires 30d
                """
        )

        @Argument(
            help: ArgumentHelp(
                "The name of the operator, for lists and the audit log: letters, digits and '-_.@', at most 64.",
                valueName: "name"
            )
        )
        var name: OperatorName

        @Option(help: ArgumentHelp("admin may do everything, viewer only reads.", valueName: "admin|viewer"))
        var role: Role

        @OptionGroup var validity: TokenLifetimeOptions
        @OptionGroup var options: ServerOptions

        func run() async throws {
            let request = NewOperatorRequest(
                name: name.text,
                role: role.rawValue,
                lifetimeHours: validity.expires?.hours
            )
            try await IssuedTokenResponse.show(
                ifLost: "The server may have created the operator; 'rangersctl operator rotate' replaces the token.",
                options
            ) { client throws(OperatorClientError) in
                try await client.post("operators", body: request)
            }
        }
    }

    /// `rangersctl operator list`: lists all operators.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists all operators, including revoked and expired ones."
        )

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            try options.show(try await client.get("operators"), as: OperatorListResponse.self, from: client)
        }
    }

    /// `rangersctl operator revoke`: revokes an operator's token.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes an operator's token.",
            discussion: """
                The token is invalid at once, on all nodes. The server does not revoke the token of the last admin.

                Examples:
                  rangersctl operator revoke guest
                """
        )

        @Argument(help: ArgumentHelp("The name of the operator.", valueName: "name"))
        var name: OperatorName

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.post("operators", name.text, "revoke")
            if options.json {
                print(String(decoding: body, as: UTF8.self))
            } else {
                print("The token of \(name.text) is revoked.")
            }
        }
    }

    /// `rangersctl operator rotate`: replaces an operator's token.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replaces an operator's token, and prints the new one once to standard output.",
            discussion: """
                Name, role and lifetime stay: a token that was valid for 30 days is replaced by one for the next 30 days. \
                --expires sets another lifetime. The old token becomes invalid at once; to avoid a gap, create a second \
                operator first.

                Examples:
                  rangersctl operator rotate alex --expires 90d > alex.token
                """
        )

        @Argument(help: ArgumentHelp("The name of the operator.", valueName: "name"))
        var name: OperatorName

        @OptionGroup var validity: TokenLifetimeOptions
        @OptionGroup var options: ServerOptions

        func run() async throws {
            let request = TokenRotationRequest(validity.expires)
            try await IssuedTokenResponse.show(
                ifLost: """
                    The server may have replaced the token; run the command again. If the token was your own, another admin or \
                    `rangersd operator rotate` replaces it.
                    """,
                options
            ) { client throws(OperatorClientError) in
                try await client.post("operators", name.text, "rotate", body: request)
            }
        }
    }
}

/// The body of `POST /admin/v1/operators`.
private struct NewOperatorRequest: Encodable {
    let name: String
    let role: String
    let lifetimeHours: Int?
}

/// The body of `POST /admin/v1/operators/{name}/rotate`.
private struct TokenRotationRequest: Encodable {
    let lifetimeHours: Int?
    let neverExpires: Bool

    /// Creates a request; without a lifetime, the new token gets that of the old one.
    init(_ lifetime: TokenLifetime?) {
        lifetimeHours = lifetime?.hours
        neverExpires = lifetime.map { $0.hours == nil } ?? false
    }
}

/// The response with a new token.
private struct IssuedTokenResponse: Decodable {
    let name: String
    let role: String
    let expiresAt: String?
    let token: String

    /// Sends a request for a token, and prints the token to standard output and its description to standard error.
    /// - Parameters:
    ///   - advice: the advice if the response is lost.
    ///   - options: the options of the command.
    ///   - request: sends the request, which is not idempotent: the server never stores tokens.
    /// - Throws: ``OperatorClientError``.
    static func show(
        ifLost advice: String,
        _ options: ServerOptions,
        _ request: (OperatorClient) async throws(OperatorClientError) -> Data
    ) async throws {
        let client = try options.client()
        let body: Data
        do throws(OperatorClientError) {
            body = try await request(client)
        } catch {
            if error.isOutcomeUnknown { StandardError.print(advice) }
            throw error
        }
        if options.json {
            print(String(decoding: body, as: UTF8.self))
            return
        }
        let issued = try client.decode(Self.self, from: body)
        print(issued.token)
        let end = issued.expiresAt.map { ", valid until \($0)" } ?? ""
        StandardError.print(
            Printable.text("This is the token of \(issued.name) (\(issued.role)\(end)). It will not be shown again.")
        )
    }
}

/// The response to `GET /admin/v1/operators`.
struct OperatorListResponse: Decodable, TableRepresentable {
    let operators: [OperatorEntry]

    var table: Table { OperatorEntry.table(operators) }
}
