public import APNsClient

/// Notices that a provider key is another one, and tells of a file that cannot be used, once.
public struct ProviderKeyWatch: Sendable {
    /// What became of the key.
    public enum Finding: Hashable, Sendable {
        /// Nothing that has not been told.
        case nothing
        /// This one is to be used from now on.
        case replaced(by: ProviderKey)
        /// The key in use stays, since the file gives none.
        case unusable(ProviderKeyFileError)
    }

    private var key: ProviderKey
    private var problem: ProviderKeyFileError?

    /// A watch on what should replace that key.
    public init(using key: ProviderKey) {
        self.key = key
    }

    /// Reads the file.
    /// - Parameters:
    ///   - file: where the key is.
    ///   - isAskedFor: whether somebody has said that it changed. Otherwise another key under the same identifier is not
    ///     used: Apple never gives one, so the file was replaced before the setting that tells the identifier.
    /// - Returns: what became of the key.
    public mutating func look(at file: ProviderKeyFile, isAskedFor: Bool) -> Finding {
        do throws(ProviderKeyFileError) {
            let found = try file.read()
            if found != key, found.keyID == key.keyID, !isAskedFor { throw file.waitsForItsIdentifier }
            problem = nil
            guard found != key else { return .nothing }
            key = found
            return .replaced(by: found)
        } catch {
            guard error != problem else { return .nothing }
            problem = error
            return .unusable(error)
        }
    }
}
