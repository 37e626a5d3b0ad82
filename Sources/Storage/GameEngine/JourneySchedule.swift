import Encodings
import GameCore

/// The schedule of journeys' ticks: at a fixed interval, each on the phase of its start.
///
/// Time is divided into slots of a hundredth of the interval, numbered since 1970. A journey that started in slot `s`
/// has phase `s mod 100` and ticks at the start of every later slot of that phase, first after one interval. Finding
/// due journeys needs no data that a tick changes: the phase is constant, and the shard stores the time up to which its
/// journeys were played. The schedule is pure arithmetic, testable without a database.
struct JourneySchedule: Sendable {
    /// The number of phases per interval.
    static let phases = 100
    /// The maximum number of ticks per journey and window.
    ///
    /// After a longer outage a journey catches up in several windows.
    static let maxTicksPerWindow = 10

    let slotMicroseconds: Int64

    init(interval: Duration) {
        precondition(
            interval >= GameSettings.minInterval,
            "the tick interval must be at least \(GameSettings.minInterval)"
        )
        slotMicroseconds = interval.wholeMicroseconds / Int64(Self.phases)
    }

    /// The duration of a slot.
    var slotLength: Duration { .microseconds(slotMicroseconds) }

    /// A range of slots, which excludes its first bound and includes its last.
    struct Window: Equatable {
        let after: Int64
        let through: Int64

        /// The phases of the window's slots, in order of their first slot.
        var phases: [Int] {
            let count = min(through - after, Int64(JourneySchedule.phases))
            return (1...max(count, 1)).map { Int((after + $0) % Int64(JourneySchedule.phases)) }
        }
    }

    /// Returns the phase of a journey that starts at a moment.
    func phase(startingAt moment: Timestamp) -> Int {
        Int(slot(at: moment) % Int64(Self.phases))
    }

    /// Returns the slots to play now; nil if no slot has started since.
    /// - Parameters:
    ///   - tickedUntil: the time up to which the shard's journeys were played.
    ///   - now: the current time.
    ///   - journeys: the number of running journeys in the shard.
    ///   - batch: the approximate maximum number of journeys per transaction; a single slot may contain more.
    /// - Returns: a window of at least one slot and at most ``maxTicksPerWindow`` intervals.
    func window(from tickedUntil: Timestamp, to now: Timestamp, journeys: Int, batch: Int) -> Window? {
        let after = slot(at: tickedUntil)
        let present = slot(at: now)
        guard present > after else { return nil }
        let phases = Int64(Self.phases)
        // A whole interval contains every journey once, and a part of it about the same part of the journeys.
        let fitting = journeys <= batch ? .max : max(1, Int64(batch) * phases / Int64(journeys))
        return Window(after: after, through: min(present, after + min(fitting, phases * Int64(Self.maxTicksPerWindow))))
    }

    /// Returns the number of ticks of a journey in a window.
    func ticks(ofPhase phase: Int, startedAt: Timestamp, in window: Window) -> Int {
        let after = max(window.after, slot(at: startedAt))
        guard window.through > after else { return 0 }
        // Slots n of the phase with after < n <= through: floor((n - phase) / phases) counts them from the epoch.
        func count(through slot: Int64) -> Int64 {
            let distance = slot - Int64(phase)
            let phases = Int64(Self.phases)
            return distance >= 0 ? distance / phases : (distance - phases + 1) / phases
        }
        return Int(count(through: window.through) - count(through: after))
    }

    /// Returns when the first tick of a journey in a window was due.
    ///
    /// The window must contain one.
    func firstTick(ofPhase phase: Int, startedAt: Timestamp, in window: Window) -> Timestamp {
        let first = max(window.after, slot(at: startedAt)) + 1
        let phases = Int64(Self.phases)
        let wait = ((Int64(phase) - first) % phases + phases) % phases
        return Timestamp(microseconds: (first + wait) * slotMicroseconds)
    }

    /// Returns the end of a window: the time up to which all ticks are played after it.
    func end(of window: Window) -> Timestamp {
        Timestamp(microseconds: window.through * slotMicroseconds)
    }

    private func slot(at moment: Timestamp) -> Int64 {
        moment.microseconds / slotMicroseconds
    }
}
