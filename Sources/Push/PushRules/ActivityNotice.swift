public import LiveActivityContent

/// A notice that an activity shows about itself instead of the last event.
public enum ActivityNotice: Hashable, Sendable, CaseIterable {
    /// It soon reaches the age at which the system ends it.
    case endsSoon
    /// It reached that age, and the adventure goes on without it.
    case tooOld

    /// The sentence that the activity shows.
    public var text: LocalizableText {
        switch self {
        case .endsSoon: Phrase.activityEndsSoon()
        case .tooOld: Phrase.openTheApp()
        }
    }
}
