package import HTTPTypes

extension HTTPRequest.Method {
    /// The methods that routes use, or that browsers and tools send.
    package static let known =
        [.get, .head, .post, .put, .patch, .delete, .options, .trace] + [Self("QUERY")].compactMap { $0 }

    /// The name; "other" for an unknown method, since clients could invent any number.
    var knownName: String { Self.known.contains(self) ? rawValue : "other" }
}
