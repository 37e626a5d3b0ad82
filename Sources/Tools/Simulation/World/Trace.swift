/// What happened in a run: a digest of all of it, and the lines themselves where they are wanted.
package struct Trace: Sendable {
    private let isKept: Bool
    /// The lines that were kept, oldest first.
    package private(set) var lines: [String] = []
    /// How much has happened.
    package private(set) var count = 0
    /// FNV-1a over everything, in order: two runs with the same digest had the same course.
    package private(set) var digest: UInt64 = 0xcbf2_9ce4_8422_2325

    init(isKept: Bool) {
        self.isKept = isKept
    }

    mutating func note(_ line: String, at elapsed: Int64) {
        count += 1
        mix(UInt64(bitPattern: elapsed))
        var line = line
        line.withUTF8 { for byte in $0 { mix(UInt64(byte)) } }
        if isKept { lines.append("\(Self.clock(elapsed)) \(line)") }
    }

    /// One of the jobs that were ready was chosen.
    mutating func chose(_ index: Int) {
        count += 1
        mix(UInt64(index))
    }

    private mutating func mix(_ word: UInt64) {
        digest = (digest ^ word) &* 0x0000_0100_0000_01b3
    }

    /// Seconds with six places behind the point.
    static func clock(_ elapsed: Int64) -> String {
        let fraction = String(elapsed % 1_000_000)
        return "\(elapsed / 1_000_000).\(String(repeating: "0", count: 6 - fraction.count))\(fraction)"
    }
}
