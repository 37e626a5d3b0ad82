import Testing

/// The versions of the executables.
@Suite struct VersionTests {
    @Test func `the installed executables print the same version`() async throws {
        var versions: Set<String> = []
        for name in ["rangersd", "rangersctl", "apns-simulator"] {
            let result = try await Executable.run(name, ["--version"], environment: [:])
            #expect(result.status == 0 && result.errors.isEmpty, "\(name): \(result.errors)")
            versions.insert(result.output)
        }
        #expect(versions.count == 1, "\(versions)")
        #expect(versions.allSatisfy { $0.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+.*\n/) != nil }, "\(versions)")
    }
}
