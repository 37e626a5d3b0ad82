// Apple documents these declarations.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, NoLeadingUnderscores
// `fatalError("stub")` stands for what no type check runs.

// The part of WidgetKit, and of SwiftUI for widgets, that Examples/EmojiRangers uses, for type checks on Linux. Signatures
// as in Apple's documentation; each declaration names its page below developer.apple.com/documentation.
public import ActivityKit
public import SwiftUI

// `swiftui/widgetbundle`
@MainActor @preconcurrency
public protocol WidgetBundle {
    associatedtype Body: Widget
    @WidgetBundleBuilder var body: Body { get }
    init()
}

extension WidgetBundle {
    public static func main() {}
}

// `swiftui/widgetbundlebuilder`
@resultBuilder
public enum WidgetBundleBuilder {
    public static func buildBlock<each Content: Widget>(_ content: repeat each Content) -> some Widget { StubWidgets() }
}

private struct StubWidgets: Widget {
    var body: some WidgetConfiguration { StubConfiguration() }
}

private struct StubConfiguration: WidgetConfiguration {}

// `swiftui/widget`
@MainActor @preconcurrency
public protocol Widget {
    associatedtype Body: WidgetConfiguration
    var body: Body { get }
    init()
}

// `swiftui/widgetconfiguration`
@MainActor @preconcurrency
public protocol WidgetConfiguration {}

extension WidgetConfiguration {
    // `swiftui/widgetconfiguration/supplementalactivityfamilies(_:)`
    public func supplementalActivityFamilies(_ families: [ActivityFamily]) -> some WidgetConfiguration { self }
}

// `widgetkit/activityfamily`
public enum ActivityFamily: Hashable, Sendable {
    case small
    case medium
}

extension EnvironmentValues {
    // `swiftui/environmentvalues/activityfamily`
    public var activityFamily: ActivityFamily { .medium }
    // `swiftui/environmentvalues/isactivityfullscreen`
    public var isActivityFullscreen: Bool { false }
}

// `widgetkit/activityviewcontext`
public struct ActivityViewContext<Attributes: ActivityAttributes> {
    public let attributes: Attributes
    public let state: Attributes.ContentState
    public let isStale: Bool
    public var activityID: String { "" }

    private init() { fatalError("stub") }
}

// `widgetkit/activityconfiguration`
public struct ActivityConfiguration<Attributes: ActivityAttributes>: WidgetConfiguration {
    public init<Content: View>(
        for attributesType: Attributes.Type,
        @ViewBuilder content: @escaping (ActivityViewContext<Attributes>) -> Content,
        dynamicIsland: @escaping (ActivityViewContext<Attributes>) -> DynamicIsland
    ) {}
}

// `widgetkit/dynamicisland`
@MainActor @preconcurrency
public struct DynamicIsland {
    public init<Expanded, CompactLeading: View, CompactTrailing: View, Minimal: View>(
        @DynamicIslandExpandedContentBuilder expanded: @escaping () -> DynamicIslandExpandedContent<Expanded>,
        @ViewBuilder compactLeading: @escaping () -> CompactLeading,
        @ViewBuilder compactTrailing: @escaping () -> CompactTrailing,
        @ViewBuilder minimal: @escaping () -> Minimal
    ) {}

    // `widgetkit/dynamicisland/widgeturl(_:)`
    public func widgetURL(_ url: URL?) -> DynamicIsland { self }
    // `widgetkit/dynamicisland/keylinetint(_:)`
    public func keylineTint(_ color: Color?) -> DynamicIsland { self }
}

// `widgetkit/dynamicislandexpandedregion`
public struct DynamicIslandExpandedRegion<Content: View> {
    public init(
        _ position: DynamicIslandExpandedRegionPosition,
        priority: Double = 0,
        @ViewBuilder content: @escaping () -> Content
    ) {}
}

// `widgetkit/dynamicislandexpandedregionposition`
public struct DynamicIslandExpandedRegionPosition: Sendable {
    public static let leading = DynamicIslandExpandedRegionPosition()
    public static let trailing = DynamicIslandExpandedRegionPosition()
    public static let center = DynamicIslandExpandedRegionPosition()
    public static let bottom = DynamicIslandExpandedRegionPosition()
}

// `widgetkit/dynamicislandexpandedcontent`
public struct DynamicIslandExpandedContent<Content> {}

// `widgetkit/dynamicislandexpandedcontentbuilder`: regions only, no other views.
@resultBuilder
public enum DynamicIslandExpandedContentBuilder {
    public static func buildBlock<each Content: View>(
        _ regions: repeat DynamicIslandExpandedRegion<each Content>
    ) -> DynamicIslandExpandedContent<(repeat each Content)> { DynamicIslandExpandedContent() }
}

extension View {
    // `swiftui/view/widgeturl(_:)`
    public nonisolated func widgetURL(_ url: URL?) -> some View { self }
    // `swiftui/view/activitybackgroundtint(_:)`
    public nonisolated func activityBackgroundTint(_ color: Color?) -> some View { self }
    // `swiftui/view/activitysystemactionforegroundcolor(_:)`
    public nonisolated func activitySystemActionForegroundColor(_ color: Color?) -> some View { self }
}
