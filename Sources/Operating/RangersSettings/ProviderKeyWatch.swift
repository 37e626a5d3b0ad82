public import APNsClient

/// Detects a replaced provider key, and reports each problem with the key's file once.
public struct ProviderKeyWatch: Sendable {
    /// The result of a check.
    public enum Finding: Hashable, Sendable {
        /// The key is unchanged, or the file has a problem that is already reported.
        case unchanged
        /// Another key replaces the one in use.
        case replaced(by: ProviderKey)
        /// The file has a new problem; the key in use stays.
        case unusable(ProviderKeyFileError)
    }

    private var key: ProviderKey
    private var problem: ProviderKeyFileError?

    /// Creates a watch that compares the file with the key in use.
    public init(using key: ProviderKey) {
        self.key = key
    }

    /// Reads the file and compares its key with the key in use.
    /// - Parameters:
    ///   - file: the file with the provider key.
    ///   - isReloadRequested: whether an operator has announced a change by SIGHUP. Without that, another key under the
    ///     same identifier is rejected: Apple never reuses an identifier, so the file was replaced before the setting
    ///     with the key's identifier.
    /// - Returns: the result of the comparison.
    public mutating func check(_ file: ProviderKeyFile, isReloadRequested: Bool) -> Finding {
        do throws(ProviderKeyFileError) {
            let found = try file.read()
            if found != key, found.keyID == key.keyID, !isReloadRequested { throw file.staleKeyIDError }
            problem = nil
            guard found != key else { return .unchanged }
            key = found
            return .replaced(by: found)
        } catch {
            guard error != problem else { return .unchanged }
            problem = error
            return .unusable(error)
        }
    }
}
