/// A text that never reaches a log: whoever prints it gets a placeholder.
public struct Secret: Hashable, Sendable {
    private let text: String

    /// Keeps a text secret.
    public init(_ text: String) {
        self.text = text
    }

    /// The text itself, for the one call that needs it.
    public func revealed() -> String { text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder.
    public var description: String { "<redacted>" }

    /// The same placeholder.
    public var debugDescription: String { description }

    /// No children: `dump` and mirrors see no more than a log does.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
