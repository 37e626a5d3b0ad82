import HTTPServing
import HTTPTypes
import Hummingbird

/// The description of the API, without a token: `openapi.yaml`, and the same as an HTML page.
struct DescriptionRoutes: Sendable {
    func add(to router: Router<ServingContext>) {
        router.get("openapi.yaml") { _, _ in Self.response(OpenAPIDocument.text, type: "application/yaml") }
        router.get("docs") { _, _ in Self.response(try Self.page.get(), type: "text/html; charset=utf-8") }
    }

    /// The page, rendered for the first request.
    ///
    /// The tests ensure that the document can be rendered.
    private static let page = Result { try DescriptionPage(of: OpenAPIDocument()).html }

    private static func response(_ text: String, type: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: type,
                // The next response may come from another release.
                .cacheControl: "no-cache",
                // The page has an inline style, and no other resources.
                .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}
