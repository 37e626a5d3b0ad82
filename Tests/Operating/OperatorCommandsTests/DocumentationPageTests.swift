import Foundation
import TestSupport
import Testing

/// The pages of the documentation are complete, and link only to files and headings that exist.
@Suite struct DocumentationPageTests {
    /// The folders with pages, or with files that name pages.
    private static let folders = [".github", "Examples", "Localization", "Sources", "Tests", "deploy", "docs"]

    /// Returns the paths of all files of the project in ``folders`` and in its root folder.
    private static func files() throws -> [String] {
        let manager = FileManager.default
        let root = ProjectFiles.root.path(percentEncoded: false)
        return try manager.contentsOfDirectory(atPath: root)
            + folders.filter { manager.fileExists(atPath: "\(root)/\($0)") }.flatMap { folder in
                try manager.subpathsOfDirectory(atPath: "\(root)/\(folder)").map { "\(folder)/\($0)" }
            }
    }

    private static func pages() throws -> [String] { try files().filter { $0.hasSuffix(".md") }.sorted() }

    /// Returns a text without its code blocks and code spans.
    private static func prose(_ text: String) -> String {
        text.replacing(/(?ms)^ *```.*?^ *```$/, with: "").replacing(/`[^`\n]+`/, with: "code")
    }

    /// Returns the targets of a page's links and images.
    private static func targets(in text: String) -> [String] {
        prose(text).matches(of: /\]\(([^)\s]+)\)/).map { String($0.output.1) }
    }

    /// Returns the anchors that GitHub generates for a page's headings.
    private static func anchors(in text: String) -> [String] {
        let text = text.replacing(/(?ms)^ *```.*?^ *```$/, with: "")
        var counts: [String: Int] = [:]
        return text.matches(of: /(?m)^#+ +(.+)$/).map { heading in
            let kept = heading.output.1.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
            let anchor = kept.replacing(" ", with: "-")
            defer { counts[anchor, default: 0] += 1 }
            return counts[anchor].map { "\(anchor)-\($0)" } ?? anchor
        }
    }

    /// Returns the file that a link names, as a path below the project's root folder.
    private static func file(of target: String, from page: String) -> String {
        let path = target.prefix { $0 != "#" }
        guard !path.isEmpty else { return page }
        let folder = page.split(separator: "/").dropLast()
        return path.split(separator: "/").reduce(into: folder.map(String.init)) { parts, part in
            if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(String(part)) }
        }
        .joined(separator: "/")
    }

    private static func isExternal(_ target: String) -> Bool { target.contains(/^(https?|mailto|doc):/) }

    /// Returns the dead links of a page.
    private static func deadLinks(of page: String, _ text: String) throws -> [String] {
        var anchors: [String: Set<String>] = [:]
        return try targets(in: text).filter { target in
            guard !isExternal(target) else { return false }
            let file = file(of: target, from: page)
            let path = ProjectFiles.root.appending(path: file).path(percentEncoded: false)
            guard FileManager.default.fileExists(atPath: path) else { return true }
            guard let fragment = target.split(separator: "#").last, target.contains("#") else { return false }
            if anchors[file] == nil {
                anchors[file] = Set(Self.anchors(in: file == page ? text : try ProjectFiles.text(file)))
            }
            return anchors[file]?.contains(String(fragment)) != true
        }
    }

    @Test func `every link leads to a file and a heading that exist`() throws {
        let pages = try Self.pages()
        #expect(pages.count > 15)
        for page in pages {
            let dead = try Self.deadLinks(of: page, ProjectFiles.text(page))
            #expect(dead.isEmpty, "\(page)")
        }
    }

    @Test func `every page can be reached from the README`() throws {
        var reached: Set<String> = []
        var pending = ["README.md"]
        while let page = pending.popLast() {
            guard page.hasSuffix(".md"), reached.insert(page).inserted else { continue }
            pending += try Self.targets(in: ProjectFiles.text(page)).filter { !Self.isExternal($0) }
                .map { Self.file(of: $0, from: page) }
        }
        let pages = try Self.pages().filter { $0.hasPrefix("docs/") || !$0.contains("/") }
        #expect(pages.filter { !reached.contains($0) } == [])
    }

    @Test func `every page that a source file names exists`() throws {
        let pages = Set(try Self.pages())
        let named = /(?:docs\/[a-z\/-]+|README|CHANGELOG|CONTRIBUTING|SECURITY)\.md/
        for file in try Self.files() where !file.hasSuffix(".md") {
            guard let text = try? ProjectFiles.text(file), text.utf8.contains(".md".utf8) else { continue }
            let missing = text.matches(of: named).map { String($0.output) }.filter { !pages.contains($0) }
            #expect(missing.isEmpty, "\(file)")
        }
    }

    @Test func `the README has at most 200 lines`() throws {
        #expect(
            try ProjectFiles.text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 201
        )
    }

    @Test func `dead links are detected`() throws {
        let text = """
            # A title, with `code`
            ## Twice
            ## Twice
            [title](#a-title-with-code) [second](#twice-1) [a
            page](../README.md) `[code](none.md)` [site](https://example.com/x)
            ```
            [block](none.md)
            ```
            [none](none.md) [no heading](#thrice) ![image](images/none.jpg)
            """
        #expect(try Self.deadLinks(of: "docs/game.md", text) == ["none.md", "#thrice", "images/none.jpg"])
    }
}
