import HTTPTypes
package import Hummingbird

extension Router {
    /// Responds with 405 and the allowed methods where a path has no route for a known method.
    ///
    /// Call it after adding all routes. HEAD is allowed where GET is, see `RouterOptions.autoGenerateHeadEndpoints`.
    package func rejectOtherMethods() {
        for (path, routes) in Dictionary(grouping: routes, by: \.path.description) {
            let methods = Set(routes.map(\.method))
            let allowed = HTTPRequest.Method.known.filter {
                methods.contains($0) || ($0 == .head && methods.contains(.get))
            }
            for method in HTTPRequest.Method.known where !allowed.contains(method) {
                on(RouterPath(path), method: method) { _, _ -> Response in
                    throw HTTPProblem.wrongMethod(allowed: allowed)
                }
            }
        }
    }
}
