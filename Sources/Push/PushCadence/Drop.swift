public import Encodings
import GameCore
public import PushRules

/// Something that was owed to a phone and never will be sent, with the reason.
public struct Drop: Hashable, Sendable {
    /// What is dropped.
    public enum Subject: Hashable, Sendable {
        /// An alert.
        case alert(AlertKind)
        /// A state; the next event makes a newer one owed.
        case state
        /// The end.
        case end
    }

    /// Why something is dropped.
    public enum Reason: Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// An event has made it pointless: the hero is up again.
        case cancelledByEvent
        /// The adventure is over for this phone.
        case cancelledByEnd
        /// Either of these, after there had been no budget for it.
        case outwaited
        /// It has waited too long.
        case expired
        /// More alerts waited than may.
        case queueFull
        /// A newer one of its kind takes its place.
        case replaced
        /// APNs will never take it.
        case refused

        var isCancellation: Bool {
            switch self {
            case .cancelledByEvent, .cancelledByEnd, .outwaited: true
            case .expired, .queueFull, .replaced, .refused: false
            }
        }

        /// For people who ask where an alert is.
        public var description: String {
            switch self {
            case .cancelledByEvent: "what has happened since makes it pointless"
            case .cancelledByEnd: "the adventure was over first"
            case .outwaited: "there was no budget for it until what has happened since made it pointless"
            case .expired: "it waited too long to be worth a sound"
            case .queueFull: "more alerts waited than a phone should get"
            case .replaced: "a newer alert of its kind took its place"
            case .refused: "APNs refused it for good"
            }
        }
    }

    /// What is dropped.
    public let subject: Subject
    /// The event that it was owed for.
    public let position: Int64
    /// When it was dropped.
    public let moment: Timestamp
    /// Why.
    public let reason: Reason
}
