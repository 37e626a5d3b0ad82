import Encodings
import GameCore

/// What a phone lets through: so many pushes of priority 10 in any hour.
///
/// A model, since Apple documents that a budget exists and keeps its size secret. Published are "about 15 an hour"
/// without frequent pushes (one vendor, without a method), that a push a second empties any budget within a minute, and
/// that iOS 18 draws an activity once in 5 to 15 seconds: 300 an hour, one in 12 seconds, is in the careful half of
/// that. The budget is the phone's: all cards of one app spend from it, one after the other. Priority 5 costs nothing.
///
/// A push beyond it vanishes, APNs having answered 200, and counts like any other: a sender who does not hear of it
/// goes on.
struct DeviceBudget: Hashable, Sendable {
    /// Without frequent pushes, in an hour.
    static let standardPerHour = 15
    /// With frequent pushes, in an hour.
    static let frequentPerHour = 300

    private static let hour = Duration.seconds(60 * 60)

    private let perHour: Int
    /// When the pushes of the last hour came, oldest first.
    private var lastHour: [Timestamp] = []
    /// How many came beyond the budget.
    private(set) var throttled = 0
    /// How many came in the busiest hour.
    private(set) var peak = 0

    init(perHour: Int) { self.perHour = perHour }

    /// Whether a push of priority 10 that comes at a moment, none earlier than the last, gets through.
    mutating func letsThrough(at moment: Timestamp) -> Bool {
        lastHour.removeFirst(lastHour.prefix { moment - $0 >= Self.hour }.count)
        let isWithin = lastHour.count < perHour
        lastHour.append(moment)
        peak = max(peak, lastHour.count)
        if !isWithin { throttled += 1 }
        return isWithin
    }
}
