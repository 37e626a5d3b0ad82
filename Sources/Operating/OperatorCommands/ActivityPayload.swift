import Foundation

/// The answer to `GET /admin/v1/activities/{activityID}/payload`: what a push to an activity carries now.
struct ActivityPayload: Decodable {
    let environment: String
    /// The JSON.
    let payload: String

    /// Asks the server.
    init(of activity: Identifier, event: String, from client: OperatorClient) async throws(OperatorClientError) {
        let query = [URLQueryItem(name: "event", value: event)]
        let body = try await client.get("activities", activity.text, "payload", query: query)
        self = try client.decode(Self.self, from: body)
    }
}
