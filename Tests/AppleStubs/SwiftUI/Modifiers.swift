// Apple documents these declarations.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, NoLeadingUnderscores
// `fatalError("stub")` stands for what no type check runs.
// Pages below developer.apple.com/documentation/swiftui.

extension View {
    private nonisolated var modified: ModifiedContent<Self> { fatalError("stub") }

    // `swiftui/view/environment(_:)`
    public nonisolated func environment<T: AnyObject & Observable>(_ object: T?) -> some View { modified }
    // `swiftui/view/onopenurl(perform:)`
    public nonisolated func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { modified }
    // `swiftui/view/onchange(of:initial:_:)`
    public nonisolated func onChange<V: Equatable>(
        of value: V,
        initial: Bool = false,
        _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some View { modified }
    // `swiftui/view/refreshable(action:)`
    public nonisolated func refreshable(action: @escaping @Sendable () async -> Void) -> some View { modified }
    // `swiftui/view/task(id:priority:_:)`
    public nonisolated func task<T: Equatable>(
        id value: T,
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { modified }
    // `swiftui/view/id(_:)`
    public nonisolated func id<ID: Hashable>(_ id: ID) -> some View { modified }
    // `swiftui/view/disabled(_:)`
    public nonisolated func disabled(_ disabled: Bool) -> some View { modified }
    // `swiftui/view/navigationtitle(_:)`
    public nonisolated func navigationTitle(_ titleKey: LocalizedStringKey) -> some View { modified }
    @_disfavoredOverload
    public nonisolated func navigationTitle<S: StringProtocol>(_ title: S) -> some View { modified }
    // `swiftui/view/safeareainset(edge:alignment:spacing:content:)`
    public nonisolated func safeAreaInset<V: View>(
        edge: VerticalEdge,
        alignment: HorizontalAlignment = .center,
        spacing: CGFloat? = nil,
        @ViewBuilder content: () -> V
    ) -> some View { modified }
    // `swiftui/view/textselection(_:)`
    public nonisolated func textSelection<S: TextSelectability>(_ selectability: S) -> some View { modified }

    // `swiftui/view/font(_:)`
    public nonisolated func font(_ font: Font?) -> some View { modified }
    // `swiftui/view/linelimit(_:)`
    public nonisolated func lineLimit(_ number: Int?) -> some View { modified }
    // `swiftui/view/minimumscalefactor(_:)`
    public nonisolated func minimumScaleFactor(_ factor: CGFloat) -> some View { modified }
    // `swiftui/view/foregroundstyle(_:)`
    public nonisolated func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { modified }
    // `swiftui/view/tint(_:)`
    public nonisolated func tint(_ tint: Color?) -> some View { modified }
    // `swiftui/view/opacity(_:)`
    public nonisolated func opacity(_ opacity: Double) -> some View { modified }
    // `swiftui/view/padding(_:)`
    public nonisolated func padding(_ length: CGFloat) -> some View { modified }
    public nonisolated func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { modified }
    // `swiftui/view/frame(minwidth:idealwidth:maxwidth:minheight:idealheight:maxheight:alignment:)`
    public nonisolated func frame(
        minWidth: CGFloat? = nil,
        idealWidth: CGFloat? = nil,
        maxWidth: CGFloat? = nil,
        minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil,
        maxHeight: CGFloat? = nil,
        alignment: Alignment = .center
    ) -> some View { modified }
    // `swiftui/view/aspectratio(_:contentmode:)`
    public nonisolated func aspectRatio(_ aspectRatio: CGFloat? = nil, contentMode: ContentMode) -> some View {
        modified
    }
    // `swiftui/view/rotationeffect(_:anchor:)`
    public nonisolated func rotationEffect(_ angle: Angle, anchor: UnitPoint = .center) -> some View { modified }

    // `swiftui/view/accessibilitylabel(_:)`
    public nonisolated func accessibilityLabel(_ labelKey: LocalizedStringKey) -> some View { modified }
    @_disfavoredOverload
    public nonisolated func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View { modified }
    // `swiftui/view/accessibilityelement(children:)`
    public nonisolated func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View {
        modified
    }
}

// `swiftui/accessibilitychildbehavior`
public struct AccessibilityChildBehavior: Hashable, Sendable {
    public static let ignore = AccessibilityChildBehavior()
}

// `swiftui/textselectability`
public protocol TextSelectability {}

// `swiftui/enabledtextselectability`
public struct EnabledTextSelectability: TextSelectability {}

extension TextSelectability where Self == EnabledTextSelectability {
    public static var enabled: EnabledTextSelectability { EnabledTextSelectability() }
}

// `swiftui/edge`
public enum Edge: Hashable, Sendable {
    case top

    // `swiftui/edge/set`
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let all = Edge.Set(rawValue: 15)
    }
}

// `swiftui/verticaledge`
public enum VerticalEdge: Hashable, Sendable {
    case top
    case bottom
}

// `swiftui/contentmode`
public enum ContentMode: Hashable, Sendable {
    case fit
    case fill
}

// `swiftui/unitpoint`
public struct UnitPoint: Hashable, Sendable {
    public static let center = UnitPoint()
}

// `swiftui/angle`
public struct Angle: Hashable, Sendable {
    public static func degrees(_ degrees: Double) -> Angle { Angle() }
}

// `swiftui/shapestyle`
public protocol ShapeStyle: Sendable {}

// `swiftui/color`
public struct Color: ShapeStyle, Hashable {
    public static let red = Color()
    public static let green = Color()
    public static let black = Color()
    public static let white = Color()
    public func opacity(_ opacity: Double) -> Color { self }
}

extension Color: PrimitiveView {}

// `swiftui/backgroundstyle`
public struct BackgroundStyle: ShapeStyle {}

extension ShapeStyle where Self == BackgroundStyle {
    public static var background: BackgroundStyle { BackgroundStyle() }
}

extension ShapeStyle where Self == Color {
    public static var red: Color { Color.red }
    public static var green: Color { Color.green }
    public static var black: Color { Color.black }
    public static var white: Color { Color.white }
}

// `swiftui/shape`
public protocol Shape: Sendable, PrimitiveView {}

extension Shape {
    // `swiftui/shape/trim(from:to:)`
    public nonisolated func trim(from startFraction: CGFloat = 0, to endFraction: CGFloat = 1) -> some Shape { self }
    // `swiftui/shape/stroke(_:linewidth:)`
    public nonisolated func stroke<S: ShapeStyle>(_ content: S, lineWidth: CGFloat = 1) -> some View { self }
    // `swiftui/shape/stroke(_:style:)`
    public nonisolated func stroke<S: ShapeStyle>(_ content: S, style: StrokeStyle) -> some View { self }
}

// `swiftui/circle`
public struct Circle: Shape {
    public nonisolated init() {}
}

// `coregraphics/cglinecap`
public enum CGLineCap: Int32, Sendable {
    case butt
    case round
    case square
}

// `swiftui/strokestyle`
public struct StrokeStyle: Equatable, Sendable {
    public init(lineWidth: CGFloat = 1, lineCap: CGLineCap = .butt) {}
}
