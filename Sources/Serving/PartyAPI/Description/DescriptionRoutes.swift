import HTTPTypes
import Hummingbird

/// What the API says of itself, without a token: `openapi.yaml`, and the same as a page to read.
struct DescriptionRoutes: Sendable {
    func add(to router: Router<APIContext>) {
        router.get("openapi.yaml") { _, _ in Self.answer(OpenAPIDocument.text, type: "application/yaml") }
        router.get("docs") { _, _ in Self.answer(try Self.page.get(), type: "text/html; charset=utf-8") }
    }

    /// Made when it is first asked for; a document of which none can be made does not get past the tests.
    private static let page = Result { try DescriptionPage(of: OpenAPIDocument()).html }

    private static func answer(_ text: String, type: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: type,
                // Another release may answer next time.
                .cacheControl: "no-cache",
                // The page has a style of its own, and nothing else at all.
                .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}
