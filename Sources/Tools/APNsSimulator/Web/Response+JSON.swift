import HTTPTypes
import Hummingbird

extension Response {
    /// Creates a JSON response that must not be cached, since the wall changes all the time.
    init(status: HTTPResponse.Status = .ok, json value: some Encodable, contentType: String = "application/json") {
        self.init(
            status: status,
            headers: [.contentType: contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: SortedJSON.encode(value)))
        )
    }
}
