// Apple documents these declarations.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, NoLeadingUnderscores
// Pages below developer.apple.com/documentation/swiftui.

// `swiftui/localizedstringkey`
@frozen
public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
    public init(stringInterpolation: DefaultStringInterpolation) {}
}

// `swiftui/text`
public struct Text: PrimitiveView, Equatable, Sendable {
    public nonisolated init(_ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil) {}
    @_disfavoredOverload public nonisolated init<S: StringProtocol>(_ content: S) {}
    public nonisolated init(_ date: Date, style: DateStyle) {}
    public nonisolated init(
        timerInterval: ClosedRange<Date>,
        pauseTime: Date? = nil,
        countsDown: Bool = true,
        showsHours: Bool = true
    ) {}

    // `swiftui/text/datestyle`
    public struct DateStyle: Equatable, Sendable {
        public static let timer = DateStyle()
    }

    // `swiftui/text/font(_:)`
    public nonisolated func font(_ font: Font?) -> Text { self }
    // `swiftui/text/monospaceddigit()`
    public nonisolated func monospacedDigit() -> Text { self }
}

// `swiftui/font`
public struct Font: Hashable, Sendable {
    public static let title = Font()
    public static let headline = Font()
    public static let subheadline = Font()
    public static let body = Font()
    public static let caption = Font()
    public static let caption2 = Font()
    public func monospaced() -> Font { self }
}

// `swiftui/button`
public struct Button<Label: View>: PrimitiveView {
    public nonisolated init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
}

extension Button where Label == Text {
    public nonisolated init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {}
    @_disfavoredOverload
    public nonisolated init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
}

// `swiftui/sharelink`: of what it can share, only a URL.
public struct ShareLink<Data: RandomAccessCollection, PreviewImage, PreviewIcon, Label: View>: PrimitiveView {}

extension ShareLink where PreviewImage == Never, PreviewIcon == Never, Label == DefaultShareLinkLabel {
    // `swiftui/sharelink/init(item:subject:message:)`
    public nonisolated init(item: URL, subject: Text? = nil, message: Text? = nil) where Data == CollectionOfOne<URL> {}
}

// `swiftui/defaultsharelinklabel`
public struct DefaultShareLinkLabel: PrimitiveView {}

// `swiftui/textfield`
public struct TextField<Label: View>: PrimitiveView {}

extension TextField where Label == Text {
    public nonisolated init(_ titleKey: LocalizedStringKey, text: Binding<String>) {}
}

// `swiftui/progressview`
public struct ProgressView<Label: View, CurrentValueLabel: View>: PrimitiveView {
    public nonisolated init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0)
    where Label == EmptyView, CurrentValueLabel == EmptyView {}
}

// `swiftui/labeledcontent`
public struct LabeledContent<Label: View, Content: View>: PrimitiveView {}

extension LabeledContent where Label == Text, Content == Text {
    public nonisolated init<S: StringProtocol>(_ titleKey: LocalizedStringKey, value: S) {}
}

// `swiftui/spacer`
public struct Spacer: PrimitiveView {
    public nonisolated init(minLength: CGFloat? = nil) {}
}

// `swiftui/horizontalalignment`
public struct HorizontalAlignment: Equatable, Sendable {
    public static let leading = HorizontalAlignment()
    public static let center = HorizontalAlignment()
}

// `swiftui/verticalalignment`
public struct VerticalAlignment: Equatable, Sendable {
    public static let center = VerticalAlignment()
}

// `swiftui/alignment`
public struct Alignment: Equatable, Sendable {
    public static let center = Alignment()
}

// `swiftui/hstack`
public struct HStack<Content: View>: PrimitiveView {
    public nonisolated init(
        alignment: VerticalAlignment = .center,
        spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) {}
}

// `swiftui/vstack`
public struct VStack<Content: View>: PrimitiveView {
    public nonisolated init(
        alignment: HorizontalAlignment = .center,
        spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) {}
}

// `swiftui/zstack`
public struct ZStack<Content: View>: PrimitiveView {
    public nonisolated init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {}
}

// `swiftui/group`
public struct Group<Content> {}

extension Group: View, PrimitiveView where Content: View {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}

// `swiftui/list`
public struct List<SelectionValue: Hashable, Content: View>: PrimitiveView {
    public nonisolated init(@ViewBuilder content: () -> Content) where SelectionValue == Never {}
}

// `swiftui/form`
public struct Form<Content: View>: PrimitiveView {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}

// `swiftui/section`
public struct Section<Parent, Content, Footer> {}

extension Section: View, PrimitiveView where Parent: View, Content: View, Footer: View {}

extension Section where Parent == EmptyView, Content: View, Footer == EmptyView {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}

extension Section where Parent == Text, Content: View, Footer == EmptyView {
    public nonisolated init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
    @_disfavoredOverload
    public nonisolated init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {}
}

// `swiftui/foreach`
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}

extension ForEach: View, PrimitiveView where Content: View {
    public nonisolated init(
        _ data: Data,
        id: KeyPath<Data.Element, ID>,
        @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {}
}

// `swiftui/navigationstack`
public struct NavigationStack<Data, Root: View>: PrimitiveView {
    public nonisolated init(@ViewBuilder root: () -> Root) where Data == NavigationPath {}
}

// `swiftui/navigationpath`
public struct NavigationPath {}
