import Hummingbird
import NIOCore

/// Rejects requests that other web sites send through a visitor's browser.
///
/// A browser sends the requesting site in `Origin`, and the name under which it reached the simulator in `Host`, which
/// reveals DNS rebinding. Requests of other clients are not affected.
struct SameOriginMiddleware<Context: RequestContext>: RouterMiddleware {
    /// The configured host of the page.
    let httpHost: String

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let authority = request.head.authority ?? ""
        guard isOwn(authority) else { throw SimulatorProblem.foreignHost }
        if let origin = request.headers[.origin], !isPage(origin, of: authority) {
            throw SimulatorProblem.foreignOrigin
        }
        return try await next(request, context)
    }

    private func isPage(_ origin: String, of authority: String) -> Bool {
        ["http://", "https://"].contains { origin.lowercased() == $0 + authority.lowercased() }
    }

    /// Whether the authority is an IP address or a name of this machine, which another site's name never is.
    private func isOwn(_ authority: String) -> Bool {
        let host = Self.host(of: authority)
        if host == "localhost" || host == httpHost.lowercased() { return true }
        // Anything but an address is a name.
        if (try? SocketAddress(ipAddress: host, port: 0)) != nil { return true }
        // A simulator that listens on all interfaces is also reached by names of the local network, such as a
        // container's.
        return ["0.0.0.0", "::"].contains(httpHost) && !host.isEmpty && !host.contains(".")
    }

    /// Returns the host in lowercase, without the port and the brackets of IPv6.
    private static func host(of authority: String) -> String {
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return authority.prefix { $0 != ":" }.lowercased()
    }
}

extension SimulatorProblem {
    fileprivate static let foreignHost = Self(
        type: "foreign-host",
        title: "Unknown host name",
        status: .misdirectedRequest,
        detail: "Use the simulator's address, localhost, or the name in --http-host."
    )

    fileprivate static let foreignOrigin = Self(
        type: "foreign-origin",
        title: "Request from another web site",
        status: .forbidden,
        detail: "In a browser, only the simulator's own page may use this API."
    )
}
