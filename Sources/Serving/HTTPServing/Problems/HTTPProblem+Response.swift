package import Hummingbird
import JSONCoding

extension HTTPProblem {
    /// The response to a request with this problem.
    package var response: Response {
        var response = Response(
            status: status,
            headers: [.contentType: Self.contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json))
        )
        response.headers.append(contentsOf: headers)
        return response
    }

    /// The body of the response.
    package var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.key("type")
            json.value(kind.type)
            json.key("title")
            json.value(kind.title)
            json.key("status")
            json.value(status.code)
            json.key("detail")
            json.value(detail)
            guard !errors.isEmpty else { return }
            json.key("errors")
            json.array(errors) { json, error in
                json.object { json in
                    json.key("field")
                    json.value(error.field)
                    json.key("reason")
                    json.value(error.reason)
                }
            }
        }
        return json.bytes
    }
}
