package import Hummingbird
package import NIOCore

/// The context of a request.
package struct ServingContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The channel of the response: an HTTP/1.1 connection, or an HTTP/2 stream.
    package let channel: any Channel
    /// The identifier in the log and in `X-Request-Id`; empty before ``AccessLogMiddleware``.
    package internal(set) var requestID = ""
    /// Metadata that handlers add to the request's line in the access log.
    package let accessLog = AccessLogMetadata()

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
