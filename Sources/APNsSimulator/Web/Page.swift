import HTTPTypes
import Hummingbird

/// The page of phones: files that are part of the program.
enum Page {
    /// The page brings everything along, so a browser is told to load nothing from elsewhere.
    private static let contentSecurityPolicy = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'"

    /// The file of that name; nil when there is none.
    static func response(for name: String) -> Response? {
        switch name {
        case "index.html": response(PackageResources.index_html, "text/html; charset=utf-8")
        case "wall.css": response(PackageResources.wall_css, "text/css; charset=utf-8")
        case "wall.js": response(PackageResources.wall_js, "text/javascript; charset=utf-8")
        case "phone.js": response(PackageResources.phone_js, "text/javascript; charset=utf-8")
        case "log.js": response(PackageResources.log_js, "text/javascript; charset=utf-8")
        case "dom.js": response(PackageResources.dom_js, "text/javascript; charset=utf-8")
        default: nil
        }
    }

    private static func response(_ bytes: [UInt8], _ contentType: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: contentType,
                // A new build of the simulator must not meet an old page in the browser.
                .cacheControl: "no-cache",
                .contentSecurityPolicy: contentSecurityPolicy,
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }
}
