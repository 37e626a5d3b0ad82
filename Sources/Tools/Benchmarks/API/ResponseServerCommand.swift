import ArgumentParser
import Foundation
import HTTPTypes
import Hummingbird

/// A helper process that serves recorded responses without a database.
struct ResponseServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "response-server", shouldDisplay: false)

    /// The recorded responses: ``StaticResponses`` as JSON.
    @Option var responses: String
    @Option var readyFile: String

    func run() async throws {
        let responses = try JSONDecoder().decode(StaticResponses.self, from: Data(responses.utf8))
        try await responses.serve { HelperCommand.report(port: $0, to: readyFile) }
    }
}

/// Recorded responses of the API, served by a router that does nothing else: the cost of HTTP alone.
struct StaticResponses: Codable, Sendable {
    /// The headers that the server adds itself.
    private static let serverHeaders: Set<String> = ["content-length", "date", "server", "connection"]

    private struct Entry: Codable, Sendable {
        let status: Int
        let headers: [ReceivedResponse.Header]
        let body: String
    }

    private let entries: [APIRequestKind: Entry]

    init(_ responses: [APIRequestKind: ReceivedResponse]) {
        entries = responses.mapValues { response in
            Entry(
                status: response.status,
                headers: response.headers.filter { !Self.serverHeaders.contains($0.name.lowercased()) },
                body: String(decoding: response.body, as: UTF8.self)
            )
        }
    }

    /// Serves on a free port, which is passed to `onServing`, until the task is cancelled.
    func serve(_ onServing: @escaping @Sendable (Int) -> Void) async throws {
        let router = Router()
        for (kind, entry) in entries {
            let headers = entry.headers.reduce(into: HTTPFields()) { fields, header in
                guard let name = HTTPField.Name(header.name) else { return }
                fields.append(HTTPField(name: name, value: header.value))
            }
            let body = ByteBuffer(string: entry.body)
            router.on(RouterPath(kind.route), method: kind.method) { _, _ in
                Response(status: .init(code: entry.status), headers: headers, body: ResponseBody(byteBuffer: body))
            }
        }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in onServing(channel.localAddress?.port ?? 0) },
            logger: silentLogger
        )
        try await application.run()
    }
}
