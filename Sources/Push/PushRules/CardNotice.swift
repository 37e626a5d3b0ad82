public import LiveActivityContent

/// What a card says of itself, in place of what happened last.
public enum CardNotice: Hashable, Sendable, CaseIterable {
    /// It soon reaches the age at which the system ends it.
    case endsSoon
    /// It has reached that age, and the adventure goes on without it.
    case tooOld

    /// The sentence.
    public var text: LocalizableText {
        switch self {
        case .endsSoon: Phrase.cardEndsSoon()
        case .tooOld: Phrase.openTheApp()
        }
    }
}
