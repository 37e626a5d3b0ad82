import GameCore

/// A value for each APNs environment, which needs no hash to be found.
struct EnvironmentTable<Value> {
    private var production: Value
    private var sandbox: Value
    private var simulator: Value

    /// Creates a table with the same value for each environment.
    init(_ value: Value) {
        (production, sandbox, simulator) = (value, value, value)
    }

    subscript(environment: PushEnvironment) -> Value {
        _read {
            switch environment {
            case .production: yield production
            case .sandbox: yield sandbox
            case .simulator: yield simulator
            }
        }
        _modify {
            switch environment {
            case .production: yield &production
            case .sandbox: yield &sandbox
            case .simulator: yield &simulator
            }
        }
    }

    /// The values.
    var values: [Value] { [production, sandbox, simulator] }
}
