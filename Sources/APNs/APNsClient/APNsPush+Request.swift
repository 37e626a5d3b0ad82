import HTTP2Transport

extension APNsPush: APNsMessage {
    /// The push as a request.
    ///
    /// What differs from push to push stays out of the peer's HPACK table; the expiration is the same for most pushes of a
    /// second. `authorization` stays out of it too: nghttp2 never indexes that one.
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
