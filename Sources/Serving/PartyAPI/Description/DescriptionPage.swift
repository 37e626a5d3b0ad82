import Foundation
import HTTPServing
import Yams

/// `openapi.yaml` as an HTML page: one file without scripts, accessible by keyboard.
struct DescriptionPage {
    private let document: OpenAPIDocument
    private let operations: [OpenAPIDocument.Operation]

    /// Renders a document.
    /// - Throws: ``OpenAPIDocument/MissingError``.
    init(of document: OpenAPIDocument) throws {
        self.document = document
        operations = try document.operations
    }

    /// The whole page.
    var html: String {
        get throws {
            let title = escaped(document.root["info"]?["title"]?.string ?? "")
            let tags = (document.root["tags"]?.array() ?? []).compactMap { tag in
                tag["name"]?.string.map { ($0, tag["description"]) }
            }
            let sections = try tags.map { name, description in
                let requests = try operations.filter { $0.tag == name }.map(html(of:)).joined()
                return "<h2 id=\"\(anchor(name))\">\(escaped(name))</h2>\n\(prose(description))\(requests)"
            }
            let schemas = try document.root.pairs("components", "schemas").map { name, schema in
                """
                <section id="schema-\(name)">
                <h3><code>\(name)</code></h3>
                \(prose(schema["description"]))\(try fields(of: schema))</section>

                """
            }
            return """
                <!doctype html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>\(title)</title>
                <style>\(Self.style)</style>
                </head>
                <body>
                <a class="skip" href="#requests">Skip to the requests</a>
                <header>
                <h1>\(title)</h1>
                \(prose(document.root["info"]?["description"]))<p><a href="openapi.yaml">openapi.yaml</a></p>
                </header>
                <nav aria-label="Requests">
                \(tags.map { contents(of: $0.0) }.joined())<p><a href="#schemas">Schemas</a></p>
                </nav>
                <main id="requests" tabindex="-1">
                \(sections.joined())<h2 id="schemas">Schemas</h2>
                \(schemas.joined())</main>
                </body>
                </html>

                """
        }
    }

    private func contents(of tag: String) -> String {
        let entries = operations.filter { $0.tag == tag }.map { operation in
            "<li><a href=\"#\(operation.id)\"><b>\(operation.method)</b> \(escaped(operation.path))</a></li>\n"
        }
        return "<p><a href=\"#\(anchor(tag))\">\(escaped(tag))</a></p>\n<ul>\n\(entries.joined())</ul>\n"
    }

    private func html(of operation: OpenAPIDocument.Operation) throws -> String {
        let node = operation.node
        var parts = [
            "<section id=\"\(operation.id)\">",
            "<h3><code><b>\(operation.method)</b> \(escaped(operation.path))</code></h3>",
            prose(node["summary"]) + prose(node["description"]),
        ]
        if !operation.parameters.isEmpty {
            let rows = operation.parameters.map { parameter in
                row(
                    parameter["name"]?.string ?? "",
                    "\(parameter["in"]?.string ?? ""), \(type(of: parameter["schema"]))",
                    isRequired: parameter["required"]?.bool ?? false,
                    inline(parameter["description"])
                )
            }
            parts.append(table("Parameters", rows))
        }
        for (_, content) in node.pairs("requestBody", "content") {
            parts.append("<h4>Body: \(type(of: content["schema"]))</h4>")
            parts.append(try examples(of: content))
        }
        parts.append("<h4>Responses</h4>\n<dl>")
        for (status, response) in node.pairs("responses") {
            parts.append("<dt><code>\(status)</code></dt>\n<dd>\(try html(ofResponse: response))</dd>")
        }
        parts.append("</dl>\n</section>\n")
        return parts.joined(separator: "\n")
    }

    private func html(ofResponse reference: Node) throws -> String {
        let response = try document.resolved(reference)
        var text = inline(response["description"])
        for (name, _) in response.pairs("headers") { text += " <code>\(escaped(name))</code>" }
        for (media, content) in response.pairs("content") {
            if media == "application/problem+json" {
                let types = problemTypes(in: content["schema"]).map { "<code>\(escaped($0))</code>" }
                text += " " + types.joined(separator: " ")
            } else {
                text += "<br>\(escaped(media)): \(type(of: content["schema"]))"
                text += try examples(of: content)
            }
        }
        return text
    }

    /// Returns the problem types in a schema, without their common prefix.
    private func problemTypes(in schema: Node?) -> [String] {
        (schema?["allOf"]?.array() ?? []).flatMap { part -> [String] in
            let type = part["properties"]?["type"]
            let types = type?["enum"]?.array() ?? (type?["const"]).map { [$0] } ?? []
            return types.compactMap { $0.string?.split(separator: ":").last.map(String.init) }
        }
    }

    private func examples(of content: Node) throws -> String {
        let named = content.pairs("examples").compactMap { $0.value["value"] }
        return try ((content["example"]).map { [$0] } ?? named).map { example in
            // In the document, an example that is not JSON is a string.
            "<pre tabindex=\"0\">\(escaped(try example.scalar?.string ?? json(example)))</pre>\n"
        }.joined()
    }

    /// Returns a table of the fields of an object, or of the alternatives of a schema.
    private func fields(of schema: Node) throws -> String {
        let required = Set((schema["required"]?.array() ?? []).compactMap(\.string))
        let rows = schema.pairs("properties").map { name, field in
            row(name, type(of: field), isRequired: required.contains(name), inline(field["description"]))
        }
        var text = rows.isEmpty ? "" : table("Fields", rows) + "\n"
        for (word, key) in [("One of", "oneOf"), ("All of", "allOf")] {
            let parts = try (schema[key]?.array() ?? []).map { part in
                if document.name(referredToBy: part) != nil { return "<li>\(type(of: part))</li>\n" }
                return "<li>\(inline(part["description"]))\(try fields(of: part))</li>\n"
            }
            if !parts.isEmpty { text += "<p>\(word):</p>\n<ul>\n\(parts.joined())</ul>\n" }
        }
        return text.isEmpty ? "<p>\(type(of: schema))</p>\n" : text
    }

    private func table(_ caption: String, _ rows: [String]) -> String {
        """
        <table>
        <caption>\(caption)</caption>
        \(rows.joined(separator: "\n"))
        </table>
        """
    }

    private func row(_ name: String, _ type: String, isRequired: Bool, _ description: String) -> String {
        let need = isRequired ? "required" : ""
        return "<tr><th scope=\"row\"><code>\(escaped(name))</code></th><td>\(type)</td><td>\(need)</td>"
            + "<td>\(description)</td></tr>"
    }

    /// Returns a short description of a schema, with a link if the schema has a name.
    private func type(of schema: Node?) -> String {
        guard let schema else { return "" }
        if let name = document.name(referredToBy: schema) { return "<a href=\"#schema-\(name)\">\(name)</a>" }
        if let value = schema["const"]?.string { return "<code>\(escaped(value))</code>" }
        if let values = schema["enum"]?.array() {
            return values.compactMap(\.string).map { "<code>\(escaped($0))</code>" }.joined(separator: " ")
        }
        let types = schema["type"]?.string.map { [$0] } ?? schema["type"]?.array().compactMap(\.string) ?? []
        var words = types.joined(separator: " or ")
        if let items = schema["items"] { words += " of \(type(of: items))" }
        if let format = schema["format"]?.string { words += " (\(escaped(format)))" }
        switch (schema["minimum"]?.int, schema["maximum"]?.int) {
        case (let low?, let high?): words += " \(low)…\(high)"
        case (let low?, nil): words += " ≥ \(low)"
        case (nil, let high?): words += " ≤ \(high)"
        case (nil, nil): break
        }
        if let pattern = schema["pattern"]?.string { words += " <code>\(escaped(pattern))</code>" }
        return words
    }

    private func json(_ example: Node) throws -> String {
        let options: JSONSerialization.WritingOptions = [
            .prettyPrinted, .sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed,
        ]
        let bytes = try JSONSerialization.data(withJSONObject: example.any, options: options)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a text as paragraphs; empty lines separate them in the document.
    private func prose(_ node: Node?) -> String {
        (node?.string ?? "").split(separator: "\n\n").map { "<p>\(inline($0))</p>\n" }.joined()
    }

    private func inline(_ node: Node?) -> String { inline(node?.string ?? "") }

    /// Returns a text as inline HTML; backticks mark code.
    private func inline(_ text: some StringProtocol) -> String {
        escaped(text).trimmingCharacters(in: .whitespacesAndNewlines)
            .replacing(/`([^`]+)`/) { "<code>\($0.output.1)</code>" }
    }

    private func escaped(_ text: some StringProtocol) -> String {
        String(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }

    private func anchor(_ text: String) -> String { text.lowercased().replacing(" ", with: "-") }

    private static let style = """
        :root { color-scheme: light dark; --faint: color-mix(in srgb, currentColor 12%, transparent); }
        * { box-sizing: border-box; }
        body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 76rem; padding: 1rem; display: grid;
            grid-template-columns: minmax(0, 1fr); gap: 0 2rem; }
        @media (min-width: 64rem) {
            body { grid-template-columns: 22rem minmax(0, 1fr); }
            header { grid-column: 1 / -1; }
            nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; }
        }
        nav ul { list-style: none; padding: 0; font-size: 0.85rem; overflow-wrap: anywhere; }
        nav p { margin: 1rem 0 0; font-weight: 600; }
        a { color: LinkText; }
        :focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
        .skip { position: absolute; left: -100vw; }
        .skip:focus { left: 1rem; top: 1rem; background: Canvas; padding: 0.5rem; }
        section { border-top: 1px solid var(--faint); padding: 0.5rem 0 1rem; scroll-margin-top: 0.5rem; }
        h3 { overflow-wrap: anywhere; }
        code, pre { font: 0.875em ui-monospace, monospace; background: var(--faint); border-radius: 4px;
            padding: 0.1em 0.3em; overflow-wrap: anywhere; }
        h3 code { background: none; padding: 0; font-size: 1em; }
        pre { padding: 0.75rem; overflow-x: auto; overflow-wrap: normal; }
        table { border-collapse: collapse; width: 100%; margin: 0.5rem 0; font-size: 0.9rem; }
        caption { text-align: start; font-weight: 600; }
        th, td { text-align: start; vertical-align: top; padding: 0.3rem 0.75rem 0.3rem 0; font-weight: 400;
            overflow-wrap: anywhere; border-top: 1px solid var(--faint); }
        @media (min-width: 40rem) { th { white-space: nowrap; } }
        dt { float: inline-start; clear: inline-start; width: 3.5rem; }
        dd { margin: 0 0 0.4rem 3.5rem; }
        """
}
