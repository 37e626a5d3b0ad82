import Foundation
import GameCore
import RangersClient

/// What the app keeps between launches; intents and push tokens need it outside the main actor.
nonisolated enum Session {
    static let server = RangersServer(at: address)

    /// The client of the registered player; nil before the registration.
    static var player: PlayerClient? { Keychain["token"].map { server.player(with: PlayerToken($0)) } }

    /// The identifier of this installation, chosen at the first launch.
    static var deviceID: DeviceID {
        if let text = UserDefaults.standard.string(forKey: "deviceID"), let id = DeviceID(text) { return id }
        let id = DeviceID(rawValue: UUID())
        UserDefaults.standard.set(id.description, forKey: "deviceID")
        return id
    }

    /// The newest token for ordinary alerts.
    static var alertToken: Data? {
        get { UserDefaults.standard.data(forKey: "alertToken") }
        // Encoding values of these types does not fail.
        set { UserDefaults.standard.set(newValue, forKey: "alertToken") }
    }

    /// Which alerts ring on this device; all of them, until the player chooses.
    static var alerts: AlertPreferences {
        get {
            // A choice that another version has stored, and this one cannot read, is no choice.
            let data = UserDefaults.standard.data(forKey: "alerts")
            return data.flatMap { try? JSONDecoder().decode(AlertPreferences.self, from: $0) } ?? AlertPreferences()
        }
        set { UserDefaults.standard.set(try? JSONEncoder().encode(newValue), forKey: "alerts") }
    }

    private static var address: URL {
        let text = Bundle.main.object(forInfoDictionaryKey: "RangersServer") as? String
        // A build without it can show nothing.
        guard let url = text.flatMap({ URL(string: $0) }) else {
            fatalError("RangersServer in Info.plist is not a URL: \(text ?? "missing")")
        }
        return url
    }
}

/// Secrets of this device, readable after the first unlock: a push may wake the app while the phone is locked.
nonisolated enum Keychain {
    static subscript(account: String) -> String? {
        get {
            var query = item(account)
            query[kSecReturnData] = true
            var result: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return nil }
            return (result as? Data).map { String(decoding: $0, as: UTF8.self) }
        }
        set {
            SecItemDelete(item(account) as CFDictionary)
            guard let newValue else { return }
            var query = item(account)
            query[kSecValueData] = Data(newValue.utf8)
            query[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            SecItemAdd(query as CFDictionary, nil)
        }
    }

    private static func item(_ account: String) -> [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: "EmojiRangers", kSecAttrAccount: account]
    }
}
