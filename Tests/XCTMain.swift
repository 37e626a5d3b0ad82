import Testing

/// The entry point of the tests, in place of the one that SwiftPM generates: that one searches the compiler's index for
/// XCTest's tests, of which there are none, and building the index takes a quarter of a build.
@main
struct RunTests {
    static func main() async {
        await __swiftPMEntryPoint() as Never
    }
}
