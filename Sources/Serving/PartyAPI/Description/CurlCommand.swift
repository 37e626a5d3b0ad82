import Yams

/// The `curl` command of a request, for a shell with the variables of the quickstart.
struct CurlCommand {
    /// The variables by the identifiers that the examples of the document have.
    private static let variables = [
        "019a2f4e-90b4-7a6e-8f01-5d2c7b9e4a33": "$party",
        "019a2f4e-83d0-7b1c-a4e6-2f9d1c6b5e48": "$player",
        "019a2f50-1b7e-7c92-b8d4-6e0f3a5c2933": "$adventure",
        "019a2f52-4c60-7d18-9a3e-7b2f0c8d5e21": "$raid",
        "9f1b7c52-6f0e-4c4e-8a56-3f5d8c1e2b70": "$activity",
        "5d0c7a14-93b2-4f6e-8c1d-2a7e6b9f0c31": "$device",
        "8k3j-q2zd": "$code",
        "8K3JQ2ZD": "$code",
        "00000-00000-00000-00000-00000": "$recovery",
        "eyJraWQiOiJBQkMiLCJhbGciOiJSUzI1NiJ9.e30.AA": "$identity_token",
        "3b1f7c52-6f0e-4c4e-8a56-3f5d8c1e2b70": "$nonce",
    ]
    /// The longest command on one line.
    private static let maxLineLength = 76

    let text: String

    /// Creates the command of an operation with a body.
    init(_ operation: OpenAPIDocument.Operation, body: Node?) {
        let path = operation.path.replacing(/{(\w+?)(ID)?}/) { match in
            // The bearer token has the shorter name.
            if match.output.0 == "{tokenID}" { return "$token_id" }
            if match.output.0 == "{link}" { return "$link" }
            guard match.output.2 == nil else { return "$\(match.output.1)" }
            let parameter = operation.parameters.first { $0["name"]?.string == String(match.output.1) }
            return parameter?["example"]?.string ?? ""
        }
        // One query parameter at most is required.
        let query =
            operation.parameters.first { $0["in"]?.string == "query" && $0["required"]?.bool == true }
            .map { "?\($0["name"]?.string ?? "")=\($0["example"]?.string ?? "")" } ?? ""
        let streams = operation.node.pairs("responses", "200", "content").contains { $0.key == "text/event-stream" }
        // With a body the default method is POST, otherwise GET.
        let isDefault = operation.method == (body == nil ? "GET" : "POST")
        var parts = ["curl\(streams ? " -N" : "")\(isDefault ? "" : " -X \(operation.method)") \"$api\(path)\(query)\""]
        switch operation.caller {
        case .anyone: break
        case .player: parts.append(#"-H "Authorization: Bearer $token""#)
        case .operator: parts.append(#"-H "Authorization: Bearer $operator""#)
        }
        if let body {
            let json = OrderedJSON(body)
            let data = json.compact.count <= Self.maxLineLength ? json.compact : json.text
            parts.append(#"-H "Content-Type: application/json""#)
            parts.append("-d '\(Self.withVariables(data))'")
        }
        let line = parts.joined(separator: " ")
        text = line.count <= Self.maxLineLength ? line : parts.joined(separator: " \\\n  ")
    }

    private static func withVariables(_ json: String) -> String {
        // The variable is outside of the apostrophes, and in the quotation marks of the JSON.
        variables.reduce(json) { $0.replacing("\"\($1.key)\"", with: "\"'\($1.value)'\"") }
    }
}
