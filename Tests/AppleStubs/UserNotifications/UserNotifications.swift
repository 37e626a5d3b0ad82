// Apple documents these declarations.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, NoLeadingUnderscores

// The part of UserNotifications that Examples/EmojiRangers uses, for type checks on Linux. Signatures as in Apple's
// documentation; each declaration names its page below developer.apple.com/documentation.
@_exported import Foundation

// `usernotifications/unauthorizationoptions`
public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let sound = UNAuthorizationOptions(rawValue: 1 << 1)
    public static let alert = UNAuthorizationOptions(rawValue: 1 << 2)
}

// `usernotifications/unusernotificationcenter`
public final class UNUserNotificationCenter: NSObject, Sendable {
    public class func current() -> UNUserNotificationCenter { UNUserNotificationCenter() }
    public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool { false }
}
