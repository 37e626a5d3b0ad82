public import APNsClient
import Foundation

/// A file with a provider key, and the identifiers that the file does not hold.
public struct ProviderKeyFile: Hashable, Sendable {
    /// The setting that names the file.
    public let setting: Setting
    /// The path, as it is set.
    public let path: String
    /// The key's identifier, 10 characters; nil when the file's name tells it.
    public let keyID: String?
    /// The identifier of the developer team, 10 characters.
    public let teamID: String

    /// Reads the key.
    ///
    /// A symbolic link is followed, also for the identifier in the name: so a link that is turned to another file of
    /// Apple's brings key and identifier at once.
    public func read() throws(ProviderKeyFileError) -> ProviderKey {
        let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let keyID = keyID ?? Self.keyID(inNameOf: target) else {
            throw error("\(target) is not named AuthKey_KEYID.p8, and no setting tells the key's identifier")
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

    /// What somebody else on the machine could do with the file, in a sentence; nil when nothing.
    ///
    /// Its group may read it: that is how a service that does not own its settings gets them.
    public var exposure: String? {
        let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        // A file of which nothing is known cannot be read either, and that is told.
        let mode = try? FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
        guard let mode, let deed = Self.deed(ofOthersBy: mode) else { return nil }
        let octal = String(mode & 0o777, radix: 8)
        return "\(setting.rawValue): \(path) \(deed) (mode \(octal)); 'chmod 640' leaves it to its owner and group"
    }

    /// What a mode lets others do; nil when nothing.
    static func deed(ofOthersBy mode: Int) -> String? {
        if mode & 0o002 != 0 { return "may be written by every user of this machine" }
        if mode & 0o020 != 0 { return "may be written by its group" }
        if mode & 0o004 != 0 { return "may be read by every user of this machine" }
        return nil
    }

    /// Another key is in the file, and its identifier is not known.
    var waitsForItsIdentifier: ProviderKeyFileError {
        error("\(path) has another key under the same identifier: set the new one's identifier and send SIGHUP")
    }

    private func error(_ reason: String) -> ProviderKeyFileError {
        ProviderKeyFileError(description: "\(setting.rawValue): \(reason)")
    }

    /// The identifier in a name as Apple gives it, `AuthKey_ABC123DEFG.p8`; nil for any other name.
    static func keyID(inNameOf path: String) -> String? {
        let name = URL(filePath: path).resolvingSymlinksInPath().lastPathComponent
        guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
        let identifier = String(name.dropFirst("AuthKey_".count).dropLast(".p8".count))
        // Why it is none, nobody asks: another file is no mistake.
        return try? SettingValue.appleIdentifier(identifier)
    }
}

/// Why a file gives no provider key.
public struct ProviderKeyFileError: Error, Hashable, CustomStringConvertible {
    /// The setting, the path and what is wrong; never anything of the key.
    public let description: String
}
