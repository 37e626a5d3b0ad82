public import LiveActivityContent

/// A notice that an activity shows about itself instead of the last event.
public enum ActivityNotice: Hashable, Sendable, CaseIterable {
    /// The activity soon reaches the age at which the system ends it.
    case endsSoon
    /// The activity reached that age, and the adventure continues without it.
    case tooOld

    /// The sentence that the activity shows.
    public var text: LocalizableText {
        switch self {
        case .endsSoon: Phrase.activityEndsSoon()
        case .tooOld: Phrase.openTheApp()
        }
    }
}
