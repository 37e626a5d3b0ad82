import Testing

@testable import HTTPServing

@Suite struct PathMiddlewareTests {
    @Test(arguments: [
        ("/", true), ("/v1/players", true), ("/v1/%2fplayers", true), ("//", false), ("//v1", false), ("/v1/", false),
        ("/v1//players", false), ("v1/players", false), ("admin/v1/stats", false), ("*", false), ("", false),
    ])
    func `only canonical paths reach a route`(path: String, isCanonical: Bool) {
        #expect(PathMiddleware.isCanonical(path) == isCanonical)
    }
}
