import Hummingbird

extension Problem {
    /// The answer that tells a client.
    var response: Response {
        get throws {
            var response = try Response(status: status, json: self, contentType: Self.contentType)
            response.headers.append(contentsOf: headers)
            return response
        }
    }
}
