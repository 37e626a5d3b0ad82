public import Encodings
import GameCore

/// The times of the newest events of an adventure, by their log positions.
///
/// All events of one transaction have the same time, so a few entries reach back over several ticks.
public struct EventTimes: Sendable {
    private struct Entry {
        let firstPosition: Int64
        let at: Timestamp
    }

    /// The maximum number of entries: at the default pace of a fight, they cover more than the time that an alert
    /// waits.
    private static let maxEntries = 8

    private var entries: [Entry] = []

    /// Creates a value without events.
    public init() {}

    /// Records the time of an event; positions ascend.
    public mutating func record(_ position: Int64, at moment: Timestamp) {
        guard entries.last?.at != moment else { return }
        if entries.count == Self.maxEntries { entries.removeFirst() }
        entries.append(Entry(firstPosition: position, at: moment))
    }

    /// Returns the time of the event at a position; nil if the event is too old to be kept.
    public func time(of position: Int64) -> Timestamp? {
        entries.last { $0.firstPosition <= position }?.at
    }
}
