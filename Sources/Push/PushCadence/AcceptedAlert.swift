public import Encodings
public import PushRules

/// An alert that APNs has accepted.
public struct AcceptedAlert: Hashable, Sendable {
    /// Its kind.
    public let kind: AlertKind
    /// The moment of its event.
    public let moment: Timestamp

    /// Creates an accepted alert.
    public init(kind: AlertKind, moment: Timestamp) {
        self.kind = kind
        self.moment = moment
    }
}

extension PendingAlert {
    var accepted: AcceptedAlert { AcceptedAlert(kind: alert.kind, moment: moment) }
}
