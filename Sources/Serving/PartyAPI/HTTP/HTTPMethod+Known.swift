import HTTPTypes

extension HTTPRequest.Method {
    /// The methods that a path may have a route for, or is asked for by browsers and tools.
    static let known =
        [.get, .head, .post, .put, .patch, .delete, .options, .trace] + [Self("QUERY")].compactMap { $0 }
}
