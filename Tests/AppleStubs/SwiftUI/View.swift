// Apple documents these declarations.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, NoLeadingUnderscores
// `fatalError("stub")` stands for what no type check runs.

// The part of SwiftUI that Examples/EmojiRangers uses, for type checks on Linux. Nothing here draws.
// Signatures as in Apple's documentation; each declaration names its page below developer.apple.com/documentation/swiftui.
@_exported import Foundation
@_exported import Observation

// `swiftui/view`
@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("stub") }
}

// A view of the framework itself, which has no body.
@MainActor @preconcurrency
public protocol PrimitiveView: View where Body == Never {}

extension PrimitiveView {
    public var body: Never { fatalError("stub") }
}

// `swiftui/viewbuilder`
@resultBuilder
public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > {
        TupleView((repeat each content))
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> {
        fatalError("stub")
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second> {
        fatalError("stub")
    }
}

// `swiftui/emptyview`
public struct EmptyView: PrimitiveView {
    public nonisolated init() {}
}

// `swiftui/tupleview`
public struct TupleView<T>: PrimitiveView {
    public nonisolated init(_ value: T) {}
}

// `swiftui/_conditionalcontent`
public struct _ConditionalContent<TrueContent, FalseContent> {}

extension _ConditionalContent: View, PrimitiveView where TrueContent: View, FalseContent: View {}

// `swiftui/optional`
extension Optional: View, PrimitiveView where Wrapped: View {}

// `swiftui/modifiedcontent`: the opaque result of each modifier.
public struct ModifiedContent<Content: View>: PrimitiveView {}

// `swiftui/app`
@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}

extension App {
    public static func main() {}
}

// `swiftui/scene`
@MainActor @preconcurrency
public protocol Scene {}

// `swiftui/scenebuilder`
@resultBuilder
public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

// `swiftui/windowgroup`
public struct WindowGroup<Content: View>: Scene {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}

// `swiftui/scenephase`
public enum ScenePhase: Comparable, Hashable, Sendable {
    case background
    case inactive
    case active
}
