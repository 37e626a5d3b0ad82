/// Sentences that are put together from what others say.
public enum Sentence {
    /// A text with the full stop that it lacks: what ends as a sentence, or as a question, gets none.
    public static func ended(_ text: String) -> String {
        guard let last = text.last, !".?!…".contains(last) else { return text }
        return text + "."
    }
}
