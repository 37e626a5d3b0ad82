import Encodings
import Foundation
import HTTP2Transport
import LiveActivityContent
import Synchronization

/// A push as the peer received it.
struct ReceivedPush: Sendable {
    let token: String
    let apnsID: String
    let priority: String
    let expiration: Int64
    /// The attributes of a start.
    let attributes: AdventureAttributes?
    /// The attributes of a start of a raid's activity, and the channel that it follows.
    let raid: RaidAttributes?
    let channelID: String?
    let timestamp: Int64
    let event: String
    let alertKey: String?
    let sound: String?
    let sequence: Int
    let outcome: String?
    /// The deadline of the turn, in seconds since 1970; nil outside a turn.
    let turnEnds: Int64?
    /// The key of the shown event in the String Catalog.
    let eventKey: String

    init?(_ request: HTTP2Request) {
        struct Body: Decodable {
            struct APS: Decodable {
                struct Text: Decodable {
                    let key: String
                    enum CodingKeys: String, CodingKey { case key = "loc-key" }
                }
                struct Alert: Decodable {
                    let title: Text
                    let sound: String?
                }
                struct State: Decodable {
                    let sequence: Int
                    let outcome: String?
                    let event: Headline
                    let turn: Turn?
                    struct Turn: Decodable { let endsEpochSeconds: Int64? }
                    struct Headline: Decodable { let key: String }
                }
                let timestamp: Int64
                let event: String
                let alert: Alert?
                let type: String?
                let channelID: String?
                let state: State
                enum CodingKeys: String, CodingKey {
                    case timestamp, event, alert
                    case type = "attributes-type"
                    case channelID = "input-push-channel"
                    case state = "content-state"
                }
            }
            let aps: APS
        }
        struct Start<Attributes: Decodable>: Decodable {
            struct APS: Decodable { let attributes: Attributes }
            let aps: APS
        }
        let data = Data(request.body)
        guard let body = try? JSONDecoder().decode(Body.self, from: data) else { return nil }
        switch body.aps.type {
        case nil:
            (attributes, raid) = (nil, nil)
        case RaidAttributes.typeName:
            attributes = nil
            guard let start = try? JSONDecoder().decode(Start<RaidAttributes>.self, from: data) else { return nil }
            raid = start.aps.attributes
        default:
            raid = nil
            guard let start = try? JSONDecoder().decode(Start<AdventureAttributes>.self, from: data) else { return nil }
            attributes = start.aps.attributes
        }
        token = request.token
        apnsID = request.headers["apns-id"] ?? ""
        priority = request.headers["apns-priority"] ?? ""
        expiration = request.headers["apns-expiration"].flatMap { Int64($0) } ?? 0
        channelID = body.aps.channelID
        timestamp = body.aps.timestamp
        event = body.aps.event
        alertKey = body.aps.alert?.title.key
        sound = body.aps.alert?.sound
        sequence = body.aps.state.sequence
        outcome = body.aps.state.outcome
        turnEnds = body.aps.state.turn?.endsEpochSeconds
        eventKey = body.aps.state.event.key
    }
}

extension HTTP2Request {
    /// The token in the path, in hexadecimal.
    fileprivate var token: String { String(path.dropFirst("/3/device/".count)) }
}

/// An ordinary alert as the peer received it.
struct ReceivedAlert: Sendable {
    let token: String
    let topic: String
    let collapseID: String
    let titleKey: String

    init?(_ request: HTTP2Request) {
        struct Body: Decodable {
            struct APS: Decodable {
                let alert: Alert
                struct Alert: Decodable {
                    let titleKey: String
                    enum CodingKeys: String, CodingKey { case titleKey = "title-loc-key" }
                }
            }
            let aps: APS
        }
        guard request.headers["apns-push-type"] == "alert",
            let body = try? JSONDecoder().decode(Body.self, from: Data(request.body))
        else { return nil }
        token = request.token
        topic = request.headers["apns-topic"] ?? ""
        collapseID = request.headers["apns-collapse-id"] ?? ""
        titleKey = body.aps.alert.titleKey
    }
}

/// An HTTP/2 TLS peer that records every push and responds as configured.
final class RecordingAPNs: HTTP2RequestHandler {
    /// The response to the pushes to a token.
    enum Response: Sendable {
        case accept
        case reject(status: Int, body: String)
        case never
    }

    private struct State {
        var pushes: [ReceivedPush] = []
        var alerts: [ReceivedAlert] = []
        /// The pushes to widgets.
        var reloads: [HTTP2Request] = []
        var responses: [String: Response] = [:]
        var unreadable = 0

        func response(to token: String, _ apnsID: String) -> HTTP2Response? {
            switch responses[token] ?? .accept {
            case .accept: HTTP2Response(status: 200, headers: [HTTP2Header("apns-id", apnsID)])
            case .reject(let status, let body): HTTP2Response(status: status, body: Array(body.utf8))
            case .never: nil
            }
        }
    }

    private let state = Mutex(State())

    func respond(to token: [UInt8], with response: Response) {
        let hex = token.hexadecimal
        state.withLock { $0.responses[hex] = response }
    }

    /// Returns every push to a token, in the order of arrival.
    func pushes(to token: [UInt8]) -> [ReceivedPush] {
        let hex = token.hexadecimal
        return state.withLock { $0.pushes.filter { $0.token == hex } }
    }

    /// Returns every push to the widgets' token, in the order of arrival.
    func reloads(to token: [UInt8]) -> [HTTP2Request] {
        let hex = token.hexadecimal
        return state.withLock { $0.reloads.filter { $0.token == hex } }
    }

    /// Returns every ordinary alert to a token, in the order of arrival.
    func alerts(to token: [UInt8]) -> [ReceivedAlert] {
        let hex = token.hexadecimal
        return state.withLock { $0.alerts.filter { $0.token == hex } }
    }

    var unreadable: Int { state.withLock { $0.unreadable } }

    func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
        state.withLock { state in
            if request.headers["apns-push-type"] == "widgets" {
                state.reloads.append(request)
                return state.response(to: request.token, request.headers["apns-id"] ?? "")
            }
            if let alert = ReceivedAlert(request) {
                state.alerts.append(alert)
                return state.response(to: alert.token, request.headers["apns-id"] ?? "")
            }
            guard let push = ReceivedPush(request) else {
                state.unreadable += 1
                return HTTP2Response(status: 400, body: Array(#"{"reason":"PayloadEmpty"}"#.utf8))
            }
            state.pushes.append(push)
            return state.response(to: push.token, push.apnsID)
        }
    }
}

/// The server of a peer, which can be stopped and started again at the same port.
final class RestartableAPNs: Sendable {
    let port: Int
    private let apns: RecordingAPNs
    private let identity: TLSIdentity
    private let server: Mutex<HTTP2Server>

    init(_ apns: RecordingAPNs, identity: TLSIdentity) throws {
        let server = try HTTP2Server(
            configuration: .init(host: "127.0.0.1", port: 0, identity: identity),
            handler: apns
        )
        (self.apns, self.identity, port) = (apns, identity, server.port)
        self.server = Mutex(server)
    }

    func stop() async { await server.withLock { $0 }.stop() }

    func start() throws {
        let server = try HTTP2Server(
            configuration: .init(host: "127.0.0.1", port: port, identity: identity),
            handler: apns
        )
        self.server.withLock { $0 = server }
    }
}
