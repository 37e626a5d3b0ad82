/// Helpers for sentences composed of other texts.
public enum Sentence {
    /// Returns a text, with a full stop appended unless it ends with punctuation.
    public static func ended(_ text: String) -> String {
        guard let last = text.last, !".?!…".contains(last) else { return text }
        return text + "."
    }
}
