/// Collects what is wrong with the fields of a request.
struct FieldCheck {
    /// In the order in which it was found.
    private(set) var errors: [Problem.FieldError] = []

    /// A field is not as it must be.
    mutating func found(_ field: String, _ reason: String) {
        errors.append(.init(field: field, reason: reason))
    }

    /// The fields that stand where they mean nothing.
    mutating func refuse(_ misplaced: KeyValuePairs<String, Bool>) {
        for (field, isMisplaced) in misplaced where isMisplaced { found(field, "means nothing here") }
    }

    /// The value that a text names; nil when it names none.
    mutating func value<Value>(of type: Value.Type, _ text: String?, _ field: String) -> Value?
    where Value: RawRepresentable<String> & CaseIterable {
        if let value = text.flatMap(Value.init) { return value }
        found(field, "one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
        return nil
    }
}
