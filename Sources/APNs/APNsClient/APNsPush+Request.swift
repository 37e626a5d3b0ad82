import HTTP2Transport

extension APNsPush: APNsMessage {
    /// Returns the push as a request.
    ///
    /// Fields that differ between pushes do not enter the peer's HPACK table, except for the expiration, which most
    /// pushes of one second have in common. nghttp2 never indexes `authorization`.
    func request(_ credentials: inout Credentials) -> HTTP2ClientRequest {
        HTTP2ClientRequest(
            method: "POST",
            path: path,
            headers: ownFields,
            sharing: credentials.headers(for: self),
            body: payload,
            sendBy: sendBy
        )
    }
}
