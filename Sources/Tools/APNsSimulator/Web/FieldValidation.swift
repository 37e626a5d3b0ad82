/// Collects the errors in a request's fields.
struct FieldValidation {
    /// The errors in order of detection.
    private(set) var errors: [SimulatorProblem.FieldError] = []

    /// Adds an error.
    mutating func addError(_ field: String, _ reason: String) {
        errors.append(.init(field: field, reason: reason))
    }

    /// Adds an error for each field that is not allowed in this request.
    mutating func rejectMisplaced(_ misplaced: KeyValuePairs<String, Bool>) {
        for (field, isMisplaced) in misplaced where isMisplaced { addError(field, "is not allowed here") }
    }

    /// Parses a value; adds an error and returns nil for an unknown name.
    mutating func value<Value>(of type: Value.Type, _ text: String?, _ field: String) -> Value?
    where Value: RawRepresentable<String> & CaseIterable {
        if let value = text.flatMap(Value.init) { return value }
        addError(field, "must be one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
        return nil
    }
}
