import Foundation

/// The response to `GET /admin/v1/activities/{activityID}/payload`: the payload of a push of the current state.
struct ActivityPayload: Decodable {
    let environment: String
    /// The payload as JSON.
    let payload: String

    /// Requests the payload from the server.
    init(of activity: UUIDArgument, event: String, from client: OperatorClient) async throws(OperatorClientError) {
        let query = [URLQueryItem(name: "event", value: event)]
        let body = try await client.get("activities", activity.text, "payload", query: query)
        self = try client.decode(Self.self, from: body)
    }
}
