// Apple documents these declarations.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, NoLeadingUnderscores
// `fatalError("stub")` stands for what no type check runs.

// The part of UIKit, and of SwiftUI for it, that Examples/EmojiRangers uses, for type checks on Linux. Signatures as in
// Apple's documentation; each declaration names its page below developer.apple.com/documentation.
@_exported import Foundation

// `uikit/uiapplication`
@MainActor
open class UIApplication: NSObject {
    // `uikit/uiapplication/launchoptionskey`
    public struct LaunchOptionsKey: Hashable, RawRepresentable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    // `uikit/uiapplication/registerforremotenotifications()`
    open func registerForRemoteNotifications() {}
}

// `uikit/uiapplicationdelegate`
@MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    )
}

// `swiftui/uiapplicationdelegateadaptor`
@MainActor @propertyWrapper
public struct UIApplicationDelegateAdaptor<DelegateType: NSObject & UIApplicationDelegate> {
    public init(_ delegateType: DelegateType.Type = DelegateType.self) {}
    public var wrappedValue: DelegateType { fatalError("stub") }
}
