import HTTPServing
import HTTPTypes
import Hummingbird

/// The description of the API, without a token: `openapi.yaml`, and the reference as an HTML page.
struct DescriptionRoutes: Sendable {
    func add(to router: Router<ServingContext>) {
        router.get("openapi.yaml") { _, _ in
            Self.response(
                OpenAPIDocument.text,
                type: "application/yaml",
                securityPolicy: "default-src 'none'; frame-ancestors 'none'"
            )
        }
        router.get("docs") { _, _ in
            let page = try Self.page.get()
            return Self.response(page.html, type: "text/html; charset=utf-8", securityPolicy: page.securityPolicy)
        }
    }

    /// The page, rendered for the first request.
    ///
    /// The tests ensure that the document can be rendered.
    private static let page = Result { ReferencePage(of: try Reference(of: OpenAPIDocument())) }

    private static func response(_ text: String, type: String, securityPolicy: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: type,
                // The next response may come from another release.
                .cacheControl: "no-cache",
                .contentSecurityPolicy: securityPolicy,
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}
