import GameEngine
import HTTPTypes
import Hummingbird

extension Answer {
    /// An answer that is made, and maybe kept, inside a command's transaction.
    init(status: HTTPResponse.Status, json value: some Encodable) throws {
        self.init(status: status.code, body: try JSON.encode(value))
    }
}

extension Response {
    /// An answer in JSON.
    init(status: HTTPResponse.Status = .ok, json value: some Encodable, contentType: String = "application/json") throws
    {
        self.init(status: status, jsonText: try JSON.encode(value), contentType: contentType)
    }

    /// The answer that a command has made or found kept.
    init(_ answer: Answer) {
        let status = HTTPResponse.Status(code: answer.status)
        if answer.body.isEmpty {
            self.init(status: status)
        } else {
            self.init(status: status, jsonText: answer.body, contentType: "application/json")
        }
    }

    private init(status: HTTPResponse.Status, jsonText: String, contentType: String) {
        self.init(
            status: status,
            // Everything here is somebody's own, and changes all the time.
            headers: [.contentType: contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: jsonText))
        )
    }
}
