import Foundation
import HTTP2Transport

extension APNsPush {
    /// The command that sends this very push by curl, for a shell such as sh, bash or zsh.
    ///
    /// Nothing of it is in an argument, where every user of the machine could read it: curl takes it all from standard
    /// input, which the command brings along. Provider token and device token are secrets nevertheless, and the text has
    /// both. The provider token is good for an hour (Apple, "Establishing a token-based connection to APNs"), and so are
    /// the payload's timestamp and its stale date as long as they were meant to be.
    /// - Parameters:
    ///   - host: of the APNs that it goes to.
    ///   - port: of the same.
    ///   - caFile: a PEM file with the authorities to trust instead of the system's.
    ///   - key: signs the provider token.
    ///   - issuedAt: `iat` of the token in seconds since 1970: now.
    /// - Returns: some lines, the last one ended by a newline.
    /// - Throws: `ProviderKeyError` when the key signs nothing.
    public func curlCommand(
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
        lines += (ownFields + sharedFields(authorization: token.authorization)).map { field in
            "header = \(Self.quoted("\(field.name): \(field.value)"))"
        }
        lines.append("data-binary = \(Self.quoted(String(decoding: payload, as: UTF8.self)))")
        return (["curl --config - <<'\(Self.delimiter)'"] + lines + [Self.delimiter]).joined(separator: "\n") + "\n"
    }

    /// Ends what the command brings along; no line of it can be this one, since each has a name in front.
    private static let delimiter = "END_OF_PUSH"

    /// A value as curl's files of options have it: in double quotes, with backslashes before what would end it
    /// (curl(1), `--config`).
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
