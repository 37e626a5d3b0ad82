import Encodings

/// The layout of a phone's activities at one time, as the system arranges them.
struct PhoneScreen: Equatable, Sendable {
    /// The content of the Dynamic Island.
    enum Island: Equatable, Sendable {
        case empty
        /// One activity, on both sides of the camera.
        case compact(WallID<PhoneActivity>)
        /// The most relevant activity beside the camera, and the next one in a separate circle.
        case minimal(WallID<PhoneActivity>, WallID<PhoneActivity>)
        /// An activity with a new alert, in its expanded presentation.
        case expanded(WallID<PhoneActivity>)
    }

    /// The time for which an alert keeps the island expanded: about as long as on an iPhone.
    static let alertMilliseconds: Int64 = 7000

    /// The activities on the Lock Screen, from top to bottom.
    let lockScreen: [WallID<PhoneActivity>]
    let island: Island

    /// Sorts running activities before ended ones, then by relevance, then by start.
    init(_ phone: Phone, at now: Timestamp) {
        let visible = phone.activities.enumerated()
            .map { (order: $0.offset, activity: $0.element, status: $0.element.status(at: now)) }
            .filter { $0.status != .dismissed }
            .sorted { left, right in
                let (isLeftOver, isRightOver) = (left.status == .ended, right.status == .ended)
                if isLeftOver != isRightOver { return isRightOver }
                if left.activity.relevanceScore != right.activity.relevanceScore {
                    return left.activity.relevanceScore > right.activity.relevanceScore
                }
                return left.order < right.order
            }
        lockScreen = visible.map(\.activity.id)
        let running = visible.filter { $0.status != .ended }.map(\.activity.id)
        let alerting = visible.filter { $0.activity.isAlerting(at: now) }
            .max { ($0.activity.lastAlert?.time ?? now) < ($1.activity.lastAlert?.time ?? now) }
        island =
            if phone.model == .iPad {
                .empty
            } else if let alerting {
                .expanded(alerting.activity.id)
            } else if running.count > 1 {
                .minimal(running[0], running[1])
            } else if let only = running.first {
                .compact(only)
            } else {
                .empty
            }
    }
}

extension PhoneActivity {
    /// Whether its last alert still expands the island.
    func isAlerting(at now: Timestamp) -> Bool {
        guard let time = lastAlert?.time else { return false }
        return now.epochMilliseconds - time.epochMilliseconds < PhoneScreen.alertMilliseconds
    }

    /// Whether the passage of time alone has changed its appearance since `earlier`: it became stale, ended or
    /// dismissed, or its alert is over.
    func hasChanged(from earlier: Timestamp, to now: Timestamp) -> Bool {
        status(at: earlier) != status(at: now) || isAlerting(at: earlier) != isAlerting(at: now)
    }
}
