import Encodings

/// Where a phone shows its activities at one moment, as the system lays them out.
struct PhoneScreen: Equatable, Sendable {
    /// What the Dynamic Island shows.
    enum Island: Equatable, Sendable {
        case empty
        /// One activity, on both sides of the camera.
        case compact(Identifier<PhoneActivity>)
        /// The most relevant activity beside the camera, and the next one in a circle of its own.
        case minimal(Identifier<PhoneActivity>, Identifier<PhoneActivity>)
        /// An activity whose alert has just come, with all that it has to say.
        case expanded(Identifier<PhoneActivity>)
    }

    /// How long an alert keeps the island open: about what an iPhone does.
    static let alertMilliseconds: Int64 = 7000

    /// The activities on the Lock Screen, the topmost first.
    let lockScreen: [Identifier<PhoneActivity>]
    let island: Island

    /// What runs comes before what has ended, the more relevant before the less, and what started first before the rest.
    init(_ phone: Phone, at now: Moment) {
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
            if let alerting {
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
    /// Whether its last alert has come just now.
    func isAlerting(at now: Moment) -> Bool {
        guard let time = lastAlert?.time else { return false }
        return now.epochMilliseconds - time.epochMilliseconds < PhoneScreen.alertMilliseconds
    }

    /// Whether time alone has changed what it shows since an earlier look: stale, over, gone, or quiet again.
    func hasChanged(from earlier: Moment, to now: Moment) -> Bool {
        status(at: earlier) != status(at: now) || isAlerting(at: earlier) != isAlerting(at: now)
    }
}
