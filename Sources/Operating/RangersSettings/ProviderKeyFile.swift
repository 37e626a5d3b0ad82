public import APNsClient
import Foundation

/// A file with a provider key, together with the identifiers that the file does not contain.
public struct ProviderKeyFile: Hashable, Sendable {
    /// The setting that names the file.
    public let setting: Setting
    /// The path from the setting.
    public let path: String
    /// The key identifier, 10 characters; nil if the file name contains it.
    public let keyID: String?
    /// The developer team's identifier, 10 characters.
    public let teamID: String

    /// Reads the key.
    ///
    /// Symbolic links are resolved before the key identifier is taken from the file name. Repointing a link to another
    /// of Apple's files therefore changes key and identifier together.
    /// - Returns: the key with its identifiers.
    /// - Throws: ``ProviderKeyFileError`` if the file cannot be read, contains no provider key, or has no key
    ///   identifier.
    public func read() throws(ProviderKeyFileError) -> ProviderKey {
        let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let keyID = keyID ?? Self.keyID(inNameOf: target) else {
            throw error("\(target) is not named AuthKey_KEYID.p8, and no setting gives the key's identifier")
        }
        let pem: String
        do throws(TextFileError) {
            pem = try TextFile.read(target)
        } catch {
            throw self.error("\(path) \(error.reason)")
        }
        do throws(ProviderKeyError) {
            return try ProviderKey(pem: pem, keyID: keyID, teamID: teamID)
        } catch {
            throw self.error("\(path): \(error)")
        }
    }

    /// A warning about file permissions that let other users read or change the key; nil if they do not.
    ///
    /// Read access for the file's group is accepted: a service that does not own its settings reads them as a group
    /// member.
    public var permissionWarning: String? {
        let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        // A file without readable attributes cannot be read either; `read()` reports that.
        let mode = try? FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
        guard let mode, let access = Self.excessAccess(in: mode) else { return nil }
        let octal = String(mode & 0o777, radix: 8)
        return "\(setting.rawValue): \(path) is \(access) (mode \(octal)); "
            + "'chmod 640' restricts it to its owner and group"
    }

    /// Returns the access that a file mode grants beyond the owner's and the group's read access; nil for none.
    static func excessAccess(in mode: Int) -> String? {
        if mode & 0o002 != 0 { return "writable by every user of this machine" }
        if mode & 0o020 != 0 { return "writable by its group" }
        if mode & 0o004 != 0 { return "readable by every user of this machine" }
        return nil
    }

    /// An error for a file with another key while the key identifier is unchanged.
    var staleKeyIDError: ProviderKeyFileError {
        error("\(path) contains another key under the same identifier: set the new key's identifier and send SIGHUP")
    }

    private func error(_ reason: String) -> ProviderKeyFileError {
        ProviderKeyFileError(description: "\(setting.rawValue): \(reason)")
    }

    /// Returns the key identifier in a file name as Apple assigns it, `AuthKey_ABC123DEFG.p8`; nil for any other name.
    static func keyID(inNameOf path: String) -> String? {
        let name = URL(filePath: path).resolvingSymlinksInPath().lastPathComponent
        guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
        let identifier = String(name.dropFirst("AuthKey_".count).dropLast(".p8".count))
        // A file with another name is valid, so the reason is not reported.
        return try? SettingValue.appleIdentifier(identifier)
    }
}

/// An error for a file from which no provider key can be read.
public struct ProviderKeyFileError: Error, Hashable, CustomStringConvertible {
    /// The setting, the path and the reason; never any part of the key.
    public let description: String
}
