import APNsClient

extension APNsPush {
    /// Returns a command that sends this push with curl, for a shell such as sh, bash or zsh.
    ///
    /// The command passes everything to curl in standard input, since every user of the machine can read the arguments
    /// of a process. The text contains two secrets, the provider token and the device token. The provider token is
    /// valid for an hour (Apple, "Establishing a token-based connection to APNs"). The shell sets the times: the
    /// payload's timestamp is the time at which the command runs, and the other times keep their distance to it.
    /// Without an `apns-id` each run sends a push of its own.
    /// - Parameters:
    ///   - host: the host name or address of APNs.
    ///   - port: its port.
    ///   - caFile: a PEM file with the authorities to trust instead of the system's.
    ///   - key: the key that signs the provider token.
    ///   - issuedAt: the current time in seconds since 1970, for the token's `iat`; `apns-expiration` keeps
    ///     its distance to it.
    ///   - relativeTimes: the members of the payload whose times keep their distance to its `timestamp`.
    /// - Returns: several lines; the last one ends with a newline.
    /// - Throws: `ProviderKeyError.signingFailed`.
    func curlCommand(
        host: String,
        port: Int,
        caFile: String?,
        key: ProviderKey,
        issuedAt: Int64,
        relativeTimes: Set<String> = ["stale-date", "dismissal-date"]
    ) throws(ProviderKeyError) -> String {
        let token = try ProviderToken(key: key, issuedAt: issuedAt)
        let authority = host.contains(":") ? "[\(host)]" : host
        var lines = [
            "http2", "include", "silent", "show-error", "max-time = 30",
            "url = \(Self.quoted("https://\(authority):\(port)\(path)"))",
        ]
        if let caFile { lines.append("cacert = \(Self.quoted(caFile))") }
        var times = RelativeTimes()
        for field in headers(authorization: token.authorization) where field.name != "apns-id" {
            let isTime = field.name == "apns-expiration"
            let value = isTime ? times.placeholder(for: expirationEpochSeconds - issuedAt) : field.value
            lines.append("header = \(Self.quoted("\(field.name): \(value)"))")
        }
        let payload = times.replaceTimes(of: relativeTimes, in: String(decoding: payload, as: UTF8.self))
        lines.append("data-binary = \(Self.quoted(payload))")
        let script = [
            "now=$(date +%s)",
            "sed \"\(times.substitutions)\" <<'\(Self.delimiter)' | curl --config -",
        ]
        return (script + lines + [Self.delimiter]).joined(separator: "\n") + "\n"
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

/// Times of a command, relative to the time at which it runs.
///
/// The here-document is quoted, because the shell must not expand the texts of players in it. `sed` replaces only the
/// placeholders, by numbers.
private struct RelativeTimes {
    private var distances: Set<Int64> = []

    /// Returns the placeholder for a time, such as `@now+300@`.
    mutating func placeholder(for distance: Int64) -> String {
        distances.insert(distance)
        return "@\(Self.sum(distance))@"
    }

    /// Replaces the `timestamp` of a payload and the times that are relative to it.
    mutating func replaceTimes(of members: Set<String>, in payload: String) -> String {
        guard let timestamp = payload.firstMatch(of: /"timestamp":(\d+)/).flatMap({ Int64($0.output.1) }) else {
            return payload
        }
        // Quotes within texts are escaped, so only the name of a member precedes a colon.
        return payload.replacing(/"([\w-]+)":(\d+)/) { match in
            let (text, name, digits) = match.output
            guard name == "timestamp" || members.contains(String(name)), let time = Int64(digits) else {
                return String(text)
            }
            return "\"\(name)\":\(placeholder(for: time - timestamp))"
        }
    }

    /// The commands for `sed` that replace the placeholders, for a shell with the current time in `now`.
    var substitutions: String {
        distances.sorted().map { "s/@\(Self.sum($0))@/$((\(Self.sum($0))))/g" }.joined(separator: "; ")
    }

    private static func sum(_ distance: Int64) -> String {
        distance == 0 ? "now" : distance < 0 ? "now\(distance)" : "now+\(distance)"
    }
}
