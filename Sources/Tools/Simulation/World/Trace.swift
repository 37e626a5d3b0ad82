/// The record of a run: a digest of its course, and optionally a line for each event.
package struct Trace: Sendable {
    private let keepsLines: Bool
    /// The lines, oldest first; empty unless the trace keeps them.
    package private(set) var lines: [String] = []
    /// The number of events.
    package private(set) var count = 0
    /// The FNV-1a hash of the times of all events and of all random choices of jobs, in order: runs with the same digest
    /// took the same course.
    package private(set) var digest: UInt64 = 0xcbf2_9ce4_8422_2325

    init(keepsLines: Bool) {
        self.keepsLines = keepsLines
    }

    /// Records an event; its line is made only if the trace keeps it, since that takes long.
    mutating func append(_ line: () -> String, at elapsed: Int64) {
        count += 1
        mix(UInt64(bitPattern: elapsed))
        if keepsLines { lines.append("\(Self.seconds(elapsed)) \(line())") }
    }

    /// Records which of the ready jobs runs next.
    mutating func recordChoice(_ index: Int) {
        count += 1
        mix(UInt64(index))
    }

    private mutating func mix(_ word: UInt64) {
        digest = (digest ^ word) &* 0x0000_0100_0000_01b3
    }

    /// Returns microseconds as seconds with six decimal places.
    private static func seconds(_ microseconds: Int64) -> String {
        let fraction = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - fraction.count))\(fraction)"
    }
}
