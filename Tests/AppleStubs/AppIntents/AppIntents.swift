// Apple documents these declarations.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, NoLeadingUnderscores
// `fatalError("stub")` stands for what no type check runs.

@_exported public import Foundation
public import SwiftUI

// The part of App Intents that Examples/EmojiRangers uses, for type checks on Linux. Signatures as in Apple's
// documentation; each declaration names its page below developer.apple.com/documentation.
@_exported public import struct ActivityKit.LocalizedStringResource

// `appintents/appintent`
public protocol AppIntent: Sendable {
    static var title: LocalizedStringResource { get }
    static var isDiscoverable: Bool { get }
    init()
    associatedtype PerformResult: IntentResult
    func perform() async throws -> PerformResult
}

extension AppIntent {
    public static var isDiscoverable: Bool { true }
}

// `appintents/liveactivityintent`
public protocol LiveActivityIntent: AppIntent {}

// `appintents/intentresult`
public protocol IntentResult: Sendable {}

// `appintents/intentresultcontainer`
public struct IntentResultContainer: IntentResult {}

extension IntentResult where Self == IntentResultContainer {
    // `appintents/intentresult/result()`
    public static func result() -> Self { IntentResultContainer() }
}

// `appintents/intentparameter`: of the values that parameters can have, only texts.
@propertyWrapper
public struct IntentParameter<Value: Sendable>: Sendable {
    public init(title: LocalizedStringResource) where Value == String {}
    public var wrappedValue: Value {
        get { fatalError("stub") }
        nonmutating set {}
    }
}

extension AppIntent {
    // `appintents/appintent/parameter`
    public typealias Parameter<Value: Sendable> = IntentParameter<Value>
}

extension Button {
    // `swiftui/button/init(intent:label:)`
    public nonisolated init<I: AppIntent>(intent: I, @ViewBuilder label: () -> Label) { fatalError("stub") }
}
