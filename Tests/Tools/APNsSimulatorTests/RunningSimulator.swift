import Encodings
import Foundation
import FoundationNetworking
import HTTP2Transport
import Logging
import ServiceLifecycle
import ServiceRuntime
import Testing

@testable import APNsSimulator

/// A running simulator with its real endpoints.
struct RunningSimulator: Sendable {
    /// The simulator's addresses.
    let listening: APNsSimulator.Listening

    /// The app's bundle identifier in all tests.
    static let bundleID = "com.example.rangers"

    /// Runs a simulator on free ports while `body` runs, and then shuts it down gracefully.
    static func run(
        keys: [SenderKey],
        now: @escaping @Sendable () -> Timestamp = Runtime.system.now,
        timer: @escaping APNsSimulator.Timer = APNsSimulator.callBack,
        configure: (inout APNsSimulator.Configuration) -> Void = { _ in },
        body: (Self) async throws -> Void
    ) async throws {
        var configuration = APNsSimulator.Configuration(bundleID: bundleID, keys: keys)
        configuration.httpPort = 0
        configure(&configuration)
        let (opened, continuation) = AsyncStream.makeStream(of: APNsSimulator.Listening.self)
        var logger = Logger(label: "test")
        logger.logLevel = .error
        let simulator = try APNsSimulator(
            configuration: configuration,
            now: now,
            timer: timer,
            logger: logger,
            onListening: { continuation.yield($0) }
        )
        let group = ServiceGroup(configuration: .init(services: [simulator], logger: logger))
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await group.run() }
            for await listening in opened {
                // A failing test shuts the simulator down too.
                do {
                    try await body(Self(listening: listening))
                } catch {
                    await group.triggerGracefulShutdown()
                    throw error
                }
                await group.triggerGracefulShutdown()
                break
            }
            try await tasks.waitForAll()
        }
    }

    // MARK: Over the web

    /// Sends a request to the page's API.
    func web(_ method: String = "GET", _ path: String, _ body: String? = nil) async throws -> (Int, Data) {
        let base = "http://\(listening.httpHost):\(listening.httpPort)"
        var request = URLRequest(url: try #require(URL(string: base + path)))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        let (data, response) = try await URLSession.shared.data(for: request)
        return (try #require(response as? HTTPURLResponse).statusCode, data)
    }

    /// Returns the body at a path.
    func text(_ path: String) async throws -> String {
        String(decoding: try await web("GET", path).1, as: UTF8.self)
    }

    /// Sends a POST that creates something and returns its description.
    func post<Value: Decodable>(_ path: String, _ body: String = "", as type: Value.Type) async throws -> Value {
        let (status, data) = try await web("POST", path, body)
        try #require(status == 201, "\(String(decoding: data, as: UTF8.self))")
        return try JSONDecoder().decode(Value.self, from: data)
    }

    /// Adds a phone and starts an activity on it.
    func newActivity(members: String = "") async throws -> TestActivity {
        struct Added: Decodable { let phoneID: String }
        struct Started: Decodable { let pushToken: String }
        let phoneID = try await post("/api/phones", #"{"label":"Mina"}"#, as: Added.self).phoneID
        let id = UUID().uuidString.lowercased()
        let phonePath = "/api/phones/\(phoneID)"
        let path = "\(phonePath)/activities"
        let body = #"{"activityID":"\#(id)","adventureID":"\#(id)"\#(members)}"#
        let token = try await post(path, body, as: Started.self).pushToken
        return TestActivity(path: "\(path)/\(id)", phonePath: phonePath, token: token)
    }

    // MARK: Over HTTP/2

    /// Returns a client of an endpoint, with one connection.
    func client(at endpoint: Endpoint = .pushes, timeout: Duration = .seconds(10)) throws -> HTTP2Client {
        var configuration = HTTP2Client.Configuration(
            host: listening.apnsHost,
            port: endpoint == .pushes ? listening.apnsPort : listening.channelsPort,
            trust: .authorities(pem: listening.certificateAuthorityPEM)
        )
        configuration.maxConnections = 1
        configuration.requestTimeout = timeout
        return try HTTP2Client(configuration: configuration, logger: Logger(label: "test"))
    }
}

/// An activity on a phone of a running simulator.
struct TestActivity: Sendable {
    /// The activity's path in the API.
    let path: String
    /// The phone's path in the API.
    let phonePath: String
    let token: String
}

/// A valid push for a test to change in one place.
struct PushDraft: Sendable {
    var method = "POST"
    var path: String
    var headers: [HTTP2Header]
    var body: [UInt8]

    init(to token: String, authorization: String, payload body: [UInt8] = payload()) {
        path = "/3/device/\(token)"
        headers = [
            HTTP2Header("authorization", authorization),
            HTTP2Header("apns-topic", topic),
            HTTP2Header("apns-push-type", "liveactivity"),
            HTTP2Header("apns-priority", "5"),
            HTTP2Header("apns-expiration", "\(epoch)"),
            HTTP2Header("apns-id", "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"),
        ]
        self.body = body
    }

    /// Sets a header, or removes it with nil.
    mutating func set(_ name: String, _ value: String?) {
        headers.removeAll { $0.name == name }
        if let value { headers.append(HTTP2Header(name, value)) }
    }

    var request: HTTP2ClientRequest {
        HTTP2ClientRequest(method: method, path: path, headers: headers, body: body)
    }
}

extension HTTP2Client {
    /// Sends a push and returns the response.
    func response(to draft: PushDraft) async throws -> HTTP2Response {
        try await response(to: draft.request)
    }

    /// Sends a request and returns the response.
    func response(to request: HTTP2ClientRequest) async throws -> HTTP2Response {
        let outcome = await send(request)
        guard case .response(let response) = outcome else {
            throw NoResponse(outcome: outcome)
        }
        return response
    }

    struct NoResponse: Error {
        let outcome: HTTP2Outcome
    }
}

extension HTTP2Response {
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}
