import Foundation
import HTTPServing
import TestSupport
import Testing

/// Compares the request bodies with the list of the fuzzer (`deploy/fuzz`).
@Suite struct RequestBodyTests {
    private static let root = ProjectFiles.root

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func sources(_ folder: String) throws -> [String] {
        let files = FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
        return try (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
    }

    @Test func `every request body is in the fuzzer's list`() throws {
        func bodies(in texts: [String]) -> [String] {
            texts.flatMap { $0.matches(of: /(?:struct|enum) (\w+): RequestFields\b/).map { String($0.output.1) } }
                .sorted()
        }
        let all = try Self.sources("Sources/Serving/PartyAPI")
        let known = bodies(in: try Self.sources("Sources/Serving/PartyAPI/Bodies"))
        #expect(known.count > 10 && bodies(in: all) == known)
        // No type conforms in another form; the one other match is a generic constraint.
        #expect(all.reduce(0) { $0 + $1.matches(of: /: RequestFields\b/).count } == known.count + 1)

        let fuzzer = try Self.text("Tests/Fuzzing/FuzzRequests.swift")
        let list = try #require(fuzzer.firstMatch(of: /let bodies: \[any RequestFields\.Type\] = \[([^\]]*)\]/))
        #expect(list.output.1.matches(of: /(\w+)\.self/).map { String($0.output.1) }.sorted() == known)
    }

    @Test func `every field of a body is in a seed of the fuzzer`() throws {
        let fields = try Self.sources("Sources/Serving/PartyAPI/Bodies").flatMap { text in
            text.matches(of: /fields\.(?:required|optional)\("(\w+)"/).map { String($0.output.1) }
        }
        let seeds = try Self.text("Tests/Fuzzing/requests.seeds")
        #expect(Set(fields).filter { !seeds.contains("\"\($0)\":") } == [])
    }
}
