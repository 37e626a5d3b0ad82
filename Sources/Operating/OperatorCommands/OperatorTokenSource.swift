import Foundation
import RangersSettings

/// The source of an operator's token.
enum OperatorTokenSource {
    /// A file named on the command line.
    case file(String)
    /// The environment or standard input.
    case text(Secret)
    /// A context.
    case context(ServerContext.Token)

    /// The end of errors about missing and invalid tokens.
    static let remedy = "'rangersctl operator create' or 'rangersd operator create' makes a token"

    /// Reads and checks the token.
    /// - Throws: ``OperatorClientError/wrongUsage(_:)`` for an unreadable file or a malformed token.
    func read() throws(OperatorClientError) -> String {
        let token = try text().trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .wrongUsage("the operator token is empty or malformed; \(Self.remedy)")
        }
        return token
    }

    private func text() throws(OperatorClientError) -> String {
        switch self {
        case .text(let secret), .context(.stored(let secret)):
            return secret.revealed()
        case .file(let path):
            do {
                return try String(contentsOf: URL(filePath: path), encoding: .utf8)
            } catch {
                throw .wrongUsage("cannot read the token file \(path); does it exist, and is it readable?")
            }
        case .context(.file(let path)):
            do throws(TextFileError) {
                guard let text = try SecretFile(path: path).read() else {
                    throw TextFileError(reason: "does not exist")
                }
                return text
            } catch {
                throw .wrongUsage("the token file of the context, \(path), \(error.reason)")
            }
        }
    }
}
