/// A text that is redacted wherever it is printed, so that it cannot reach a log.
public struct Secret: Hashable, Sendable {
    private let text: String

    /// Wraps a text.
    public init(_ text: String) {
        self.text = text
    }

    /// Returns the text itself, for the one call that needs it.
    public func revealed() -> String { text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder.
    public var description: String { "<redacted>" }

    /// A placeholder.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` does not print the text either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
