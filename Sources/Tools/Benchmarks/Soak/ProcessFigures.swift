import Foundation

/// What `/proc` says of a process, see proc(5).
struct ProcessFigures: Hashable, Sendable {
    let residentMebibytes: Double
    let descriptors: Int

    /// Of a process; nil when it is gone, or not ours to look at.
    init?(of process: Int32) {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let kibibytes = Self.residentKibibytes(status),
            let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
        else { return nil }
        residentMebibytes = Double(kibibytes) / 1_024
        descriptors = names.count
    }

    /// What the line `VmRSS:     1234 kB` says.
    static func residentKibibytes(_ status: String) -> Int? {
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }
}
