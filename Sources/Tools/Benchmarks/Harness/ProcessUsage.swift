import Foundation
import Glibc
import RangersMetrics

/// Resource usage of processes, from `/proc` and getrusage(2).
enum ProcessUsage {
    /// The number of clock ticks per second in `/proc`, on every architecture that Linux and Swift support.
    private static let ticksPerSecond = 100.0

    /// Returns the CPU seconds of a process, kernel time included; zero when it has exited.
    static func cpuSeconds(of process: Int32) -> Double {
        (stat(of: process)?.cpuTicks).map { Double($0) / ticksPerSecond } ?? 0
    }

    /// Returns the CPU seconds of a process and its children, exited children included.
    ///
    /// Grandchildren do not count; a PostgreSQL server has none.
    static func cpuSeconds(ofFamilyOf parent: Int32) -> Double {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let ticks = names.compactMap(Int32.init).reduce(0) { sum, process in
            guard let stat = stat(of: process) else { return sum }
            if process == parent { return sum + stat.cpuTicks + stat.childCPUTicks }
            return stat.parent == parent ? sum + stat.cpuTicks : sum
        }
        return Double(ticks) / ticksPerSecond
    }

    /// The CPU seconds of this process.
    static var ownCPUSeconds: Double { rusageSeconds(0) }

    /// The CPU seconds of the children that have exited and been waited for.
    static var exitedChildrenCPUSeconds: Double { rusageSeconds(-1) }

    /// Returns the resident memory and open descriptors of a process; nil when it has exited or belongs to another
    /// user.
    static func memory(of process: Int32) -> (mebibytes: Double, descriptors: Int)? {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let kibibytes = residentKibibytes(status),
            let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
        else { return nil }
        return (Double(kibibytes) / 1_024, names.count)
    }

    /// Returns the value of the line `VmRSS:     1234 kB`.
    static func residentKibibytes(_ status: String) -> Int? {
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }

    private static func stat(of process: Int32) -> ProcessStat? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return nil }
        return ProcessStat(text)
    }

    /// Reads RUSAGE_SELF (0) or RUSAGE_CHILDREN (-1), which Swift imports as another type on Linux.
    private static func rusageSeconds(_ whom: CInt) -> Double {
        var usage = rusage()
        let status = getrusage(whom, &usage)
        precondition(status == 0, "getrusage(2) fails only for invalid arguments")
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1_000_000 }
    }
}
