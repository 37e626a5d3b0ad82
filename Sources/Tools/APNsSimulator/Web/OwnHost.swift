import Hummingbird
import NIOCore

/// Keeps other web sites from commanding the simulator through the browser of somebody who visits them.
///
/// A browser names the site that asks in `Origin`, and the name by which it has reached the simulator in `Host`: a site
/// that lets its own name lead here is known by that. Whoever uses no browser is not concerned.
struct OwnHost<Context: RequestContext>: RouterMiddleware {
    /// Where the page listens, as it was asked for.
    let httpHost: String

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let authority = request.head.authority ?? ""
        guard isOwn(authority) else { throw Problem.foreignHost }
        if let origin = request.headers[.origin], !isPage(origin, of: authority) { throw Problem.foreignOrigin }
        return try await next(request, context)
    }

    private func isPage(_ origin: String, of authority: String) -> Bool {
        ["http://", "https://"].contains { origin.lowercased() == $0 + authority.lowercased() }
    }

    /// No other site has an address for its name, nor a name of this machine.
    private func isOwn(_ authority: String) -> Bool {
        let host = Self.host(of: authority)
        if host == "localhost" || host == httpHost.lowercased() { return true }
        // What is no address is a name.
        if (try? SocketAddress(ipAddress: host, port: 0)) != nil { return true }
        // Whoever listens everywhere is reached by names of the own network, such as a container's.
        return ["0.0.0.0", "::"].contains(httpHost) && !host.isEmpty && !host.contains(".")
    }

    /// What comes before the port, in lower case and without the brackets of IPv6.
    private static func host(of authority: String) -> String {
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return authority.prefix { $0 != ":" }.lowercased()
    }
}

extension Problem {
    fileprivate static let foreignHost = Self(
        type: "foreign-host",
        title: "The simulator has another name",
        status: .misdirectedRequest,
        detail: "Reach it by its address, as localhost, or by the name that --http-host has."
    )

    fileprivate static let foreignOrigin = Self(
        type: "foreign-origin",
        title: "Another web site asks",
        status: .forbidden,
        detail: "In a browser only the simulator's own page may use this API."
    )
}
