import HTTPTypes
import Hummingbird

extension Response {
    /// An answer in JSON, which nobody may keep: the wall changes all the time.
    init(status: HTTPResponse.Status = .ok, json value: some Encodable, contentType: String = "application/json") {
        self.init(
            status: status,
            headers: [.contentType: contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: JSON.encode(value)))
        )
    }
}
