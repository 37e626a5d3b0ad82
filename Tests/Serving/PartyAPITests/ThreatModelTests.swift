import Foundation
import TestSupport
import Testing

/// Compares docs/security.md and docs/chaos.md with the tests that they name.
@Suite struct ThreatModelTests {
    private static let root = ProjectFiles.root

    /// Returns the names of all tests, as `Suite/sentence`.
    private func tests() throws -> Set<String> {
        let folder = Self.root.appending(path: "Tests")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var tests: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            let suites = text.matches(of: /(?m)^(?:@Suite(?:\(.*\))? )?(?:struct|final class) ([A-Za-z0-9]+Tests)\b/)
            guard let suite = suites.first?.output.1 else { continue }
            for test in text.matches(of: /func `([^`]+)`/) { tests.insert("\(suite)/\(test.output.1)") }
        }
        return tests
    }

    @Test(arguments: [("security.md", "Threats"), ("chaos.md", "Faults")])
    func `each threat and each fault has a test, and each named test exists`(page: String, title: String) throws {
        let text = try String(contentsOf: Self.root.appending(path: "docs/\(page)"), encoding: .utf8)
        let section = try #require(text.split(separator: "\n## \(title)\n").last)
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2)
        #expect(rows.count > 15)
        let tests = try tests()
        #expect(tests.count > 500)
        for row in rows {
            let cells = row.split(separator: " | ")
            #expect(cells.count == 3, "\(row)")
            let named = cells.last?.matches(of: /`([A-Za-z0-9]+\/[^`]+)`/).map { String($0.output.1) } ?? []
            #expect(!named.isEmpty, "nothing holds: \(row)")
            for name in named { #expect(tests.contains(name), "there is no \(name)") }
        }
    }
}
