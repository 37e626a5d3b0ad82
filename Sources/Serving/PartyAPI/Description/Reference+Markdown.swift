import HTTPServing
import HTTPTypes

extension Reference {
    /// The text of `docs/rest-api.md`.
    var markdown: String {
        let parts: [String] =
            [
                "# The REST API",
                "<!-- Made from Sources/Serving/PartyAPI/openapi.yaml; see CONTRIBUTING.md. -->",
                summary,
            ]
            + [Self.markdown(of: guide)]
            + sections.map(Self.markdown(of:))
            + ["## Problems", problems.map(Self.markdown(of:)).joined(separator: "\n")]
            + ["## Schemas"] + schemas.map(Self.markdown(of:))
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func markdown(of text: Markdown) -> String {
        text.blocks.map { block in
            switch block {
            case .heading(let level, let text): "\(String(repeating: "#", count: level)) \(text)"
            case .paragraph(let text): text
            case .code(let language, let text): "```\(language)\n\(text)\n```"
            case .list(let items): items.map { "- \($0)" }.joined(separator: "\n")
            case .table(let rows): table(rows)
            }
        }
        .joined(separator: "\n\n")
    }

    private static func table(_ rows: [[String]]) -> String {
        let lines = rows.map { "| \($0.joined(separator: " | ")) |" }
        let rule = "|" + String(repeating: " --- |", count: rows.first?.count ?? 0)
        return (lines.prefix(1) + [rule] + lines.dropFirst()).joined(separator: "\n")
    }

    private static func markdown(of section: Section) -> String {
        (["## \(section.title)", markdown(of: section.description)] + section.operations.map(markdown(of:)))
            .filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private static func markdown(of operation: Operation) -> String {
        var parts = [
            "### \(operation.title)", "`\(operation.method) \(operation.path)`", markdown(of: operation.description),
        ]
        if !operation.parameters.isEmpty { parts += ["Parameters:", list(operation.parameters)] }
        for (index, form) in operation.body.enumerated() {
            parts += [caption(index == 0 ? "Body" : "Or", of: form), list(form.fields)]
        }
        for command in operation.commands {
            if !command.caption.isEmpty { parts.append("For example, \(command.caption):") }
            parts.append(markdown(of: command))
        }
        for success in operation.successes {
            let type = success.type.isEmpty ? "" : " (\(success.type))"
            parts.append("**\(success.status)** \(success.description)\(type)")
            if let example = success.example { parts.append(markdown(of: example)) }
        }
        if let line = problemLine(of: operation) { parts.append(line) }
        return parts.joined(separator: "\n\n")
    }

    private static func caption(_ word: String, of form: Form) -> String {
        form.description.isEmpty ? "\(word):" : "\(word): \(form.description)"
    }

    private static func markdown(of example: Example) -> String { "```\(example.language)\n\(example.code)\n```" }

    /// Returns a sentence with the problems of a request; nil if it has none.
    static func problemLine(of operation: Operation) -> String? {
        let names = operation.problems.map { "[`\($0)`](#\($0))" }
        let others = operation.otherStatuses.joined(separator: ", ")
        switch (names.isEmpty, others.isEmpty) {
        case (true, true): return nil
        case (false, true): return "[Problems](#problems): \(names.joined(separator: ", "))."
        case (true, false): return "[Problems](#problems) of most requests: \(others)."
        case (false, false):
            return "[Problems](#problems): \(names.joined(separator: ", ")); of most requests: \(others)."
        }
    }

    private static func list(_ fields: [Field], indentation: String = "") -> String {
        fields.map { field in
            let need = field.isRequired ? ", required" : ""
            let description = field.description.isEmpty ? "" : " \(field.description)"
            let line = "\(indentation)- `\(field.name)` (\(field.type)\(need))\(description)"
            let inner = field.fields.isEmpty ? [] : [list(field.fields, indentation: indentation + "  ")]
            return ([line] + inner).joined(separator: "\n")
        }
        .joined(separator: "\n")
    }

    private static func markdown(of problem: Problem) -> String {
        let kind = problem.kind
        return "### `\(kind.name)`\n\n\(kind.status.code) \(kind.title). \(problem.description)\n"
    }

    private static func markdown(of schema: Schema) -> String {
        var parts = ["### \(schema.name)", schema.description]
        for (index, form) in schema.forms.enumerated() {
            if schema.forms.count > 1 {
                parts.append(caption(index == 0 ? "Either" : "Or", of: form))
            }
            parts.append(list(form.fields))
            let names = form.alternatives.map { "[\($0)](#\(Markdown.anchor($0)))" }
            if !names.isEmpty { parts.append("With the fields of one of: \(names.joined(separator: ", ")).") }
        }
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }
}
