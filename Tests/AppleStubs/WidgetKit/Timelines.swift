// Apple documents these declarations.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, NoLeadingUnderscores
// `fatalError("stub")` stands for what no type check runs.

// Widgets with timelines, and pushes to them. Pages below developer.apple.com/documentation.
import ActivityKit
public import Foundation
public import SwiftUI

// `widgetkit/timelineentry`
public protocol TimelineEntry {
    var date: Date { get }
}

// `widgetkit/timelinereloadpolicy`
public struct TimelineReloadPolicy: Equatable, Sendable {
    public static func after(_ date: Date) -> TimelineReloadPolicy { TimelineReloadPolicy() }
}

// `widgetkit/timeline`
public struct Timeline<EntryType: TimelineEntry> {
    public init(entries: [EntryType], policy: TimelineReloadPolicy) {}
}

// `widgetkit/timelineprovidercontext`
public struct TimelineProviderContext {}

// `widgetkit/timelineprovider`
public protocol TimelineProvider {
    associatedtype Entry: TimelineEntry
    typealias Context = TimelineProviderContext
    func placeholder(in context: Context) -> Entry
    @preconcurrency func getSnapshot(in context: Context, completion: @escaping @Sendable (Entry) -> Void)
    @preconcurrency func getTimeline(in context: Context, completion: @escaping @Sendable (Timeline<Entry>) -> Void)
}

// `widgetkit/widgetfamily`
public enum WidgetFamily: Int, Sendable {
    case systemSmall
    case systemMedium
}

// `widgetkit/staticconfiguration`
public struct StaticConfiguration<Content: View>: WidgetConfiguration {
    public init<Provider: TimelineProvider>(
        kind: String,
        provider: Provider,
        @ViewBuilder content: @escaping (Provider.Entry) -> Content
    ) {}
}

extension WidgetConfiguration {
    // `swiftui/widgetconfiguration/configurationdisplayname(_:)`
    public func configurationDisplayName(_ displayNameKey: LocalizedStringKey) -> some WidgetConfiguration { self }
    // `swiftui/widgetconfiguration/description(_:)`
    public func description(_ descriptionKey: LocalizedStringKey) -> some WidgetConfiguration { self }
    // `swiftui/widgetconfiguration/supportedfamilies(_:)`
    public func supportedFamilies(_ families: [WidgetFamily]) -> some WidgetConfiguration { self }
    // `swiftui/widgetconfiguration/pushhandler(_:)`
    @available(iOS 26.0, *)
    public func pushHandler(_ pushHandlerType: any WidgetPushHandler.Type) -> some WidgetConfiguration { self }
}

// `swiftui/containerbackgroundplacement`
public struct ContainerBackgroundPlacement: Sendable {
    public static let widget = ContainerBackgroundPlacement()
}

extension View {
    // `swiftui/view/containerbackground(_:for:)`
    public nonisolated func containerBackground<S: ShapeStyle>(
        _ style: S,
        for container: ContainerBackgroundPlacement
    ) -> some View { self }
}

// `widgetkit/widgetpushinfo`
@available(iOS 26.0, *)
public struct WidgetPushInfo: Sendable {
    public let token: Data
}

// `widgetkit/widgetinfo`
public struct WidgetInfo {}

// `widgetkit/widgetpushhandler`
@available(iOS 26.0, *)
public protocol WidgetPushHandler {
    init()
    func pushTokenDidChange(_ pushInfo: WidgetPushInfo, widgets: [WidgetInfo])
}

// `widgetkit/widgetcenter`
public final class WidgetCenter: Sendable {
    public static let shared = WidgetCenter()

    // `widgetkit/widgetcenter/currentpushinfo`
    @available(iOS 26.0, *)
    public var currentPushInfo: WidgetPushInfo? {
        get async { StubPhone.current.widgetToken.map(WidgetPushInfo.init) }
    }
}
