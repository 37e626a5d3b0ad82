// Apple documents these declarations.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, NoLeadingUnderscores
// `fatalError("stub")` stands for what no type check runs.
// Pages below developer.apple.com/documentation/swiftui.

// `swiftui/state`
@frozen @propertyWrapper
public struct State<Value> {
    public init(wrappedValue value: Value) {}
    public var wrappedValue: Value {
        get { fatalError("stub") }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError("stub") }
}

// `swiftui/binding`
@frozen @propertyWrapper
public struct Binding<Value> {
    public init(
        get: @escaping @isolated(any) @Sendable () -> Value,
        set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {}
    public var wrappedValue: Value {
        get { fatalError("stub") }
        nonmutating set {}
    }
}

// `swiftui/environment`
@frozen @propertyWrapper
public struct Environment<Value> {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public init(_ objectType: Value.Type) where Value: AnyObject, Value: Observable {}
    public var wrappedValue: Value { fatalError("stub") }
}

// `swiftui/environmentvalues`
public struct EnvironmentValues {
    // `swiftui/environmentvalues/scenephase`
    public var scenePhase: ScenePhase { .active }
}
