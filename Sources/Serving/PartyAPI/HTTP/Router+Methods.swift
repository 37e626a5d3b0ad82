import HTTPTypes
import Hummingbird

extension Router {
    /// Answers 405, with what the path takes, to every method that a path has no route for.
    ///
    /// To be called when every route is there. HEAD goes where GET does, see `RouterOptions.autoGenerateHeadEndpoints`.
    func refuseOtherMethods() {
        for (path, routes) in Dictionary(grouping: routes, by: \.path.description) {
            let taken = Set(routes.map(\.method))
            let allowed = HTTPRequest.Method.known.filter {
                taken.contains($0) || ($0 == .head && taken.contains(.get))
            }
            for method in HTTPRequest.Method.known where !allowed.contains(method) {
                on(RouterPath(path), method: method) { _, _ -> Response in
                    throw Problem.wrongMethod(allowed: allowed)
                }
            }
        }
    }
}
