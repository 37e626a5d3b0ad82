import Foundation
import Testing

/// The shared libraries that the executables need.
@Suite struct LinkedLibrariesTests {
    private func libraries(of executable: String) async throws -> [String] {
        let path = try #require(Executable.url(of: executable)).path(percentEncoded: false)
        let result = try await Executable.run(
            at: URL(filePath: "/usr/bin/readelf"),
            ["--dynamic", "--wide", path],
            environment: ["LC_ALL": "C"]
        )
        #expect(result.status == 0, "\(result.errors)")
        return result.output.matches(of: /\(NEEDED\).*\[(.+)\]/).map { String($0.output.1) }
    }

    @Test func `rangersctl needs no PostgreSQL client library`() async throws {
        let libraries = try await libraries(of: "rangersctl")
        #expect(libraries.contains { $0.hasPrefix("libc.so") })
        #expect(!libraries.contains { $0.hasPrefix("libpq") })
        #expect(try await self.libraries(of: "rangersd").contains { $0.hasPrefix("libpq") })
    }

    @Test func `rangersctl contains no server`() async throws {
        let path = try #require(Executable.url(of: "rangersctl")).path(percentEncoded: false)
        // The binary contains the mangled names of its types, each with the name of its module and its length.
        for module in ["11Hummingbird", "9GameStore", "8PartyAPI", "10GameEngine", "14PostgresClient"] {
            let result = try await Executable.run(
                at: URL(filePath: "/usr/bin/grep"),
                ["--count", "--text", "--fixed-strings", "$s\(module)", path],
                environment: ["LC_ALL": "C"]
            )
            #expect(result.output == "0\n", "\(module)")
        }
    }
}
