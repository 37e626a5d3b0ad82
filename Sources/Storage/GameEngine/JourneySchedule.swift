import Encodings
import GameCore

/// When journeys tick: at a fixed interval, each on the phase at which it started.
///
/// Time is cut into slots of a hundredth of the interval, numbered since 1970. A journey that started in slot `s` has
/// phase `s mod 100` and ticks at the start of every later slot of that phase, so first after one interval. Nothing
/// that a tick changes is needed to find the journeys due: the phase never changes, and the shard remembers up to
/// which slot it was played. Pure arithmetic, so that it can be tested without a database.
struct JourneySchedule: Sendable {
    /// How many phases an interval has.
    static let phases = 100
    /// A journey that was asleep for longer, since no engine ran, catches up in several rounds.
    static let mostTicksAtOnce = 10

    let slotMicroseconds: Int64

    init(interval: Duration) {
        precondition(interval >= GameSettings.shortest, "journeys tick at most ten times a second")
        slotMicroseconds = interval.wholeMicroseconds / Int64(Self.phases)
    }

    /// The length of a slot.
    var slotLength: Duration { .microseconds(slotMicroseconds) }

    /// The slots after one and through another.
    struct Window: Equatable {
        let after: Int64
        let through: Int64

        /// The phases that come up in it, in the order of their first slot.
        var phases: [Int] {
            let count = min(through - after, Int64(JourneySchedule.phases))
            return (1...max(count, 1)).map { Int((after + $0) % Int64(JourneySchedule.phases)) }
        }
    }

    /// The phase of a journey that starts at a moment.
    func phase(startingAt moment: Timestamp) -> Int {
        Int(slot(at: moment) % Int64(Self.phases))
    }

    /// The slots to play now, nil when none has begun since.
    /// - Parameters:
    ///   - tickedUntil: up to when the shard's journeys were played.
    ///   - now: the present.
    ///   - journeys: how many run in the shard.
    ///   - batch: about how many journeys one transaction may take; a single slot may hold more.
    /// - Returns: a window of at least one slot and at most ``mostTicksAtOnce`` intervals.
    func window(from tickedUntil: Timestamp, to now: Timestamp, journeys: Int, batch: Int) -> Window? {
        let after = slot(at: tickedUntil)
        let present = slot(at: now)
        guard present > after else { return nil }
        let phases = Int64(Self.phases)
        // A whole interval takes every journey; a part of it takes that part of them.
        let fitting = journeys <= batch ? .max : max(1, Int64(batch) * phases / Int64(journeys))
        return Window(after: after, through: min(present, after + min(fitting, phases * Int64(Self.mostTicksAtOnce))))
    }

    /// How many ticks of a journey fall into a window.
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

    /// When the first tick of a journey in a window was due, in which it has one.
    func firstTick(ofPhase phase: Int, startedAt: Timestamp, in window: Window) -> Timestamp {
        let first = max(window.after, slot(at: startedAt)) + 1
        let phases = Int64(Self.phases)
        let wait = ((Int64(phase) - first) % phases + phases) % phases
        return Timestamp(microseconds: (first + wait) * slotMicroseconds)
    }

    /// The moment up to which everything was played once a window is.
    func end(of window: Window) -> Timestamp {
        Timestamp(microseconds: window.through * slotMicroseconds)
    }

    private func slot(at moment: Timestamp) -> Int64 {
        moment.microseconds / slotMicroseconds
    }
}
