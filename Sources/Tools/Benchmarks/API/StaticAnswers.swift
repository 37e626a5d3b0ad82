import HTTPTypes
import Hummingbird
import Logging

/// Answers as the API gave them, from a router that does nothing else: what HTTP alone costs.
struct StaticAnswers: Codable, Sendable {
    /// What the server writes by itself.
    private static let ownHeaders: Set<String> = ["content-length", "date", "server", "connection"]

    private struct Answer: Codable, Sendable {
        let status: Int
        let headers: [ReceivedAnswer.Header]
        let body: String
    }

    private let answers: [APIRequestKind: Answer]

    /// One answer to each kind of request.
    init(_ received: [APIRequestKind: ReceivedAnswer]) {
        answers = received.mapValues { answer in
            Answer(
                status: answer.status,
                headers: answer.headers.filter { !Self.ownHeaders.contains($0.name.lowercased()) },
                body: String(decoding: answer.body, as: UTF8.self)
            )
        }
    }

    /// Serves on a free port until it is cancelled.
    func serve(_ onServing: @escaping @Sendable (Int) -> Void) async throws {
        let router = Router()
        for (kind, answer) in answers {
            let headers = answer.headers.reduce(into: HTTPFields()) { fields, header in
                guard let name = HTTPField.Name(header.name) else { return }
                fields.append(HTTPField(name: name, value: header.value))
            }
            let body = ByteBuffer(string: answer.body)
            router.on(RouterPath(kind.route), method: kind.method) { _, _ in
                Response(status: .init(code: answer.status), headers: headers, body: ResponseBody(byteBuffer: body))
            }
        }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in onServing(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "rangers-bench") { _ in SwiftLogNoOpLogHandler() }
        )
        try await application.run()
    }
}
