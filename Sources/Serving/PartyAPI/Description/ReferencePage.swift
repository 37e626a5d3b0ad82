import Cryptography
import Foundation
import HTTPServing
import HTTPTypes

/// The reference as an HTML page: one file without external resources.
///
/// It can be read without scripts; its script adds the search, buttons to copy code, and the address of the server in
/// commands.
struct ReferencePage {
    let html: String
    /// The Content-Security-Policy, which allows only the page's own style and script.
    let securityPolicy: String

    /// Renders a reference.
    init(of reference: Reference) {
        let style = String(decoding: PackageResources.docs_css, as: UTF8.self)
        let script = String(decoding: PackageResources.docs_js, as: UTF8.self)
        securityPolicy = """
            default-src 'none'; style-src '\(Self.hash(of: style))'; script-src '\(Self.hash(of: script))'; \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
        html = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(Markdown.escaped(reference.title)): REST API</title>
            <style>\(style)</style>
            </head>
            <body>
            <a class="skip" href="#content">Skip to the content</a>
            <header class="top">
            <a class="name" href="#content">\(Markdown.escaped(reference.title))</a>
            <label class="menu" for="menu">Menu</label>
            </header>
            <input type="checkbox" id="menu" class="hidden" aria-label="Show the menu">
            <nav aria-label="Contents">
            \(Self.contents(of: reference))</nav>
            <main id="content" tabindex="-1">
            <section class="guide">
            <h1>REST API</h1>
            <p class="lead">\(Markdown.inlineHTML(reference.summary)) <a href="openapi.yaml">openapi.yaml</a> describes it for \
            programs.</p>
            \(reference.guide.html)</section>
            \(reference.sections.map(Self.html(of:)).joined())<section class="guide">
            <h2 id="problems">Problems</h2>
            <dl class="problems">
            \(reference.problems.map(Self.html(of:)).joined())</dl>
            </section>
            <section class="guide">
            <h2 id="schemas">Schemas</h2>
            \(reference.schemas.map(Self.html(of:)).joined())</section>
            </main>
            <script>\(script)</script>
            </body>
            </html>

            """
    }

    private static func hash(of text: String) -> String {
        "sha256-" + Data(SHA256.digest(of: text)).base64EncodedString()
    }

    // MARK: - Contents

    private static func contents(of reference: Reference) -> String {
        let guide = reference.guide.blocks.compactMap { block -> String? in
            guard case .heading(2, let text) = block else { return nil }
            return "<li><a href=\"#\(Markdown.anchor(text))\">\(Markdown.escaped(text))</a></li>\n"
        }
        let sections = reference.sections.map { section in
            let requests = section.operations.map { operation in
                "<li><a href=\"#\(operation.anchor)\" title=\"\(operation.method) \(operation.path)\">"
                    + "\(Markdown.escaped(operation.title)) \(method(operation.method))</a></li>\n"
            }
            return group(section.title, requests)
        }
        let schemas = reference.schemas.map { schema in
            "<li><a href=\"#\(Markdown.anchor(schema.name))\">\(schema.name)</a></li>\n"
        }
        return "<ul>\n\(guide.joined())</ul>\n\(sections.joined())"
            + "<ul>\n<li><a href=\"#problems\">Problems</a></li>\n</ul>\n"
            + "<details>\n<summary>Schemas</summary>\n<ul>\n\(schemas.joined())</ul>\n</details>\n"
    }

    private static func group(_ title: String, _ entries: [String]) -> String {
        "<p><a href=\"#\(Markdown.anchor(title))\">\(Markdown.escaped(title))</a></p>\n<ul>\n\(entries.joined())</ul>\n"
    }

    private static func method(_ method: String) -> String {
        "<b class=\"method \(method.lowercased())\">\(method)</b>"
    }

    // MARK: - Requests

    private static func html(of section: Reference.Section) -> String {
        """
        <section class="guide">
        <h2 id="\(Markdown.anchor(section.title))">\(Markdown.escaped(section.title))</h2>
        \(section.description.html)</section>
        \(section.operations.map(html(of:)).joined())
        """
    }

    private static func html(of operation: Reference.Operation) -> String {
        var text = """
            <section class="request" id="\(operation.anchor)">
            <div class="text">
            <h3><a href="#\(operation.anchor)">\(Markdown.escaped(operation.title))</a></h3>
            <p class="route">\(method(operation.method)) <code>\(breakable(operation.path))</code></p>
            \(operation.description.html)
            """
        if !operation.parameters.isEmpty { text += "<h4>Parameters</h4>\n\(html(of: operation.parameters))" }
        for (index, form) in operation.body.enumerated() {
            text += "<h4>\(index == 0 ? "Body" : "Or")</h4>\n"
            if !form.description.isEmpty { text += "<p>\(Markdown.inlineHTML(form.description))</p>\n" }
            text += html(of: form.fields)
        }
        text += "<h4>Responses</h4>\n<dl class=\"fields\">\n"
        for success in operation.successes {
            text += "<dt><code>\(success.status)</code> <span>\(Markdown.inlineHTML(success.type))</span></dt>\n"
            text += "<dd>\(Markdown.inlineHTML(success.description))</dd>\n"
        }
        text += "</dl>\n"
        if let line = Reference.problemLine(of: operation) { text += "<p>\(Markdown.inlineHTML(line))</p>\n" }
        text += "</div>\n<div class=\"code\">\n"
        for command in operation.commands {
            text += figure(command.caption.isEmpty ? "Request" : "Request: \(command.caption)", command)
        }
        for success in operation.successes {
            if let example = success.example { text += figure("Response \(success.status)", example) }
        }
        return text + "</div>\n</section>\n"
    }

    private static func figure(_ caption: String, _ example: Reference.Example) -> String {
        "<figure>\n<figcaption>\(Markdown.escaped(caption))</figcaption>\n\(Markdown.codeHTML(example.code))</figure>\n"
    }

    private static func html(of fields: [Reference.Field]) -> String {
        guard !fields.isEmpty else { return "" }
        let entries = fields.map { field in
            let need = field.isRequired ? " <em>required</em>" : ""
            let inner = html(of: field.fields)
            return """
                <dt><code>\(Markdown.escaped(field.name))</code> <span>\(Markdown.inlineHTML(field.type))</span>\(need)</dt>
                <dd>\(Markdown.inlineHTML(field.description))\(inner.isEmpty ? "" : "\n\(inner)")</dd>

                """
        }
        return "<dl class=\"fields\">\n\(entries.joined())</dl>\n"
    }

    /// Returns a path that may break after slashes.
    private static func breakable(_ path: String) -> String { path.replacing("/", with: "/<wbr>") }

    // MARK: - Problems and schemas

    private static func html(of problem: Reference.Problem) -> String {
        let kind = problem.kind
        return """
            <dt id="\(kind.name)"><code>\(kind.name)</code> <span>\(kind.status.code)</span></dt>
            <dd><b>\(Markdown.escaped(kind.title)).</b> \(Markdown.inlineHTML(problem.description))</dd>

            """
    }

    private static func html(of schema: Reference.Schema) -> String {
        var text = "<section class=\"schema\" id=\"\(Markdown.anchor(schema.name))\">\n"
        text += "<h3><a href=\"#\(Markdown.anchor(schema.name))\">\(schema.name)</a></h3>\n"
        if !schema.description.isEmpty { text += "<p>\(Markdown.inlineHTML(schema.description))</p>\n" }
        for (index, form) in schema.forms.enumerated() {
            if schema.forms.count > 1 { text += "<h4>\(index == 0 ? "Either" : "Or")</h4>\n" }
            if !form.description.isEmpty { text += "<p>\(Markdown.inlineHTML(form.description))</p>\n" }
            text += html(of: form.fields)
            let names = form.alternatives.map { "<a href=\"#\(Markdown.anchor($0))\">\($0)</a>" }
            if !names.isEmpty { text += "<p>With the fields of one of: \(names.joined(separator: ", ")).</p>\n" }
        }
        return text + "</section>\n"
    }
}
