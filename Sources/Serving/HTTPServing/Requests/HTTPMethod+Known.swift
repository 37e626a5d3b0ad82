package import HTTPTypes

extension HTTPRequest.Method {
    /// The methods that routes use, or that browsers and tools send.
    package static let known =
        [.get, .head, .post, .put, .patch, .delete, .options, .trace] + [Self("QUERY")].compactMap { $0 }
}
