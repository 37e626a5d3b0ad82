import Encodings
import GameCore
import GameLog
import GameStore
import HTTPServing
import Hummingbird
import ServiceRuntime

/// The route by which devices report what they show.
struct ReceiptRoutes: Sendable {
    /// The largest difference between the clock of a device and this node's: with a larger one, TLS rarely works.
    private static let maxClockDifference = Duration.seconds(86_400)

    let recorder: ReceiptRecorder
    let runtime: Runtime

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.post("v1/players/me/devices/:deviceID/receipts", use: authenticator.player(record))
    }

    /// Records a report.
    ///
    /// An idempotency key has no effect: a repetition changes nothing anyway.
    private func record(_ request: APIRequest<PlayerID>) async throws -> Response {
        let deviceID = try request.deviceID
        _ = try request.idempotentRequest
        let body: ReceiptBody = try request.fields()
        let now = runtime.now()
        let difference = body.report.sentAt - now
        guard (.zero - Self.maxClockDifference...Self.maxClockDifference).contains(difference) else {
            let reason = "must be within a day of the server's time, which is \(now.rfc3339)"
            throw HTTPProblem.invalidFields([.init(field: "sentAt", reason: reason)])
        }
        let summary = try await recorder.record(body.report, from: deviceID, of: request.caller, at: now)
        return try Response(status: .accepted, json: summary)
    }
}
