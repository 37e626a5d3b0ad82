public import Encodings
import GameCore
public import PushRules

/// An alert, a state or an end that was pending for a phone and will never be sent, with the reason.
public struct Drop: Hashable, Sendable {
    /// What is dropped.
    public enum Subject: Hashable, Sendable {
        /// An alert.
        case alert(AlertKind)
        /// A state. The next event makes a newer state pending.
        case state
        /// The end.
        case end
    }

    /// Why something is dropped.
    public enum Reason: Hashable, Sendable, CaseIterable {
        /// A later event cancelled it, such as the revival of the hero.
        case cancelledByEvent
        /// The adventure ended for this phone.
        case cancelledByEnd
        /// A later event or the end cancelled it while it waited for budget.
        case starved
        /// It waited too long.
        case expired
        /// Too many alerts were waiting.
        case queueFull
        /// A newer alert of its kind took its place.
        case replaced
        /// APNs rejected it for good.
        case rejected

        var isCancellation: Bool {
            switch self {
            case .cancelledByEvent, .cancelledByEnd, .starved: true
            case .expired, .queueFull, .replaced, .rejected: false
            }
        }
    }

    /// What is dropped.
    public let subject: Subject
    /// The log position of the event that made it pending.
    public let position: Int64
    /// When it was dropped.
    public let moment: Timestamp
    /// Why it was dropped.
    public let reason: Reason
}
