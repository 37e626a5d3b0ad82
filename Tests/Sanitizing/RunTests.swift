import Testing

/// Runs the linked tests in the same way as `swift test`.
@main
struct RunTests {
    static func main() async {
        await __swiftPMEntryPoint() as Never
    }
}
