import Hummingbird
import NIOCore

/// What is known of a request besides itself.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Where the answer goes out: a connection, or one stream of an HTTP/2 connection.
    let channel: any Channel
    /// What the answer has as `X-Request-Id`; empty until the request has one.
    var requestID = ""
    /// Who is found to send it.
    let caller = CallerNote()

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
