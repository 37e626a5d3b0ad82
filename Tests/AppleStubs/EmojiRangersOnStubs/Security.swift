// The part of Security that Examples/EmojiRangers uses, which Apple's Foundation exports, for type checks on Linux. Not a
// module of its own: packages ask by `canImport(Security)` whether the platform is Apple's. Signatures as in Apple's
// documentation, "Keychain services"; types of Core Foundation are those that Swift bridges them to.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

// `corefoundation/cfstring`
typealias CFString = String
// `corefoundation/cfdictionary`
typealias CFDictionary = [CFString: Any]
// `corefoundation/cftyperef`
typealias CFTypeRef = AnyObject
typealias OSStatus = Int32

nonisolated let errSecSuccess: OSStatus = 0
nonisolated let kSecClass = "class"
nonisolated let kSecClassGenericPassword = "genp"
nonisolated let kSecAttrService = "svce"
nonisolated let kSecAttrAccount = "acct"
nonisolated let kSecAttrAccessible = "pdmn"
nonisolated let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = "cku"
nonisolated let kSecValueData = "v_Data"
nonisolated let kSecReturnData = "r_Data"

// `security/secitemcopymatching(_:_:)`
nonisolated func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    -1
}
// `security/secitemadd(_:_:)`
@discardableResult
nonisolated func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { -1 }
// `security/secitemdelete(_:)`
@discardableResult
nonisolated func SecItemDelete(_ query: CFDictionary) -> OSStatus { -1 }
