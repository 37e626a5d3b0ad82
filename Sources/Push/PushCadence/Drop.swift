public import Encodings
import GameCore
public import PushRules

/// An alert, a state or an end that was pending for a phone and will never be sent, with the reason.
public struct Drop: Hashable, Sendable {
    /// The subject of the drop.
    public enum Subject: Hashable, Sendable {
        /// An alert.
        case alert(AlertKind)
        /// A state. The next event makes a newer state pending.
        case state
        /// The end.
        case end
    }

    /// The reason for a drop.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// A later event cancelled it, such as the revival of the hero.
        case cancelledByEvent
        /// The adventure ended for this phone.
        case cancelledByEnd
        /// A later event or the end cancelled it while it waited for budget.
        case starved
        /// The alert waited longer than ``CadencePolicy/alertExpiry``.
        case expired
        /// Too many alerts were waiting.
        case queueFull
        /// A newer alert of the same kind replaced it.
        case replaced
        /// APNs rejected it for good.
        case rejected
        /// The player has muted alerts of its kind on the device, or the device has quiet hours.
        case muted

        var isCancellation: Bool {
            switch self {
            case .cancelledByEvent, .cancelledByEnd, .starved: true
            case .expired, .queueFull, .replaced, .rejected, .muted: false
            }
        }
    }

    /// The subject of the drop.
    public let subject: Subject
    /// The moment of the event that made it pending.
    public let changeAt: Timestamp
    /// The time of the drop.
    public let moment: Timestamp
    /// The reason for the drop.
    public let reason: Reason
}
