/// An error for a text that is not a valid value of a setting.
package struct MalformedValue: Error, Hashable {
    /// The predicate of a sentence whose subject is the text, such as `is not a duration`.
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
