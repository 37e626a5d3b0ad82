import Testing

/// Runs the tests that it is linked with, as `swift test` would.
@main
struct RunTests {
    static func main() async {
        await __swiftPMEntryPoint() as Never
    }
}
