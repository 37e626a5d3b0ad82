import APNsClient

extension APNsPush {
    /// Returns a command that sends this push with curl, for a shell such as sh, bash or zsh.
    ///
    /// The command passes everything to curl in standard input, since every user of the machine can read the arguments
    /// of a process. The text contains two secrets, the provider token and the device token. The provider token is
    /// valid for an hour (Apple, "Establishing a token-based connection to APNs"). The payload's timestamp and stale
    /// date stay as they are.
    /// - Parameters:
    ///   - host: the host name or address of APNs.
    ///   - port: its port.
    ///   - caFile: a PEM file with the authorities to trust instead of the system's.
    ///   - key: the key that signs the provider token.
    ///   - issuedAt: the current time in seconds since 1970, for the token's `iat`.
    /// - Returns: several lines; the last one ends with a newline.
    /// - Throws: `ProviderKeyError.signingFailed`.
    func curlCommand(
        host: String,
        port: Int,
        caFile: String?,
        key: ProviderKey,
        issuedAt: Int64
    ) throws(ProviderKeyError) -> String {
        let token = try ProviderToken(key: key, issuedAt: issuedAt)
        let authority = host.contains(":") ? "[\(host)]" : host
        var lines = [
            "http2", "include", "silent", "show-error", "max-time = 30",
            "url = \(Self.quoted("https://\(authority):\(port)\(path)"))",
        ]
        if let caFile { lines.append("cacert = \(Self.quoted(caFile))") }
        lines += headers(authorization: token.authorization).map { field in
            "header = \(Self.quoted("\(field.name): \(field.value)"))"
        }
        lines.append("data-binary = \(Self.quoted(String(decoding: payload, as: UTF8.self)))")
        return (["curl --config - <<'\(Self.delimiter)'"] + lines + [Self.delimiter]).joined(separator: "\n") + "\n"
    }

    /// The delimiter of the here-document.
    ///
    /// Every line before it begins with the name of an option, so none equals it.
    private static let delimiter = "END_OF_PUSH"

    /// Quotes a value for curl's configuration files: in double quotes, with backslash escapes (curl(1), `--config`).
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text.unicodeScalars {
            switch character {
            case "\\": quoted += "\\\\"
            case "\"": quoted += "\\\""
            case "\t": quoted += "\\t"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            default: quoted.unicodeScalars.append(character)
            }
        }
        return quoted + "\""
    }
}
