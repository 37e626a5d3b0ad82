import Foundation
import Glibc

/// What one run of one client came to.
struct PushMeasurement: Codable, Hashable, Sendable {
    let pushes: Int
    let seconds: Double
    /// Of the client's process, kernel included.
    let cpuSeconds: Double

    var perSecond: Double { Double(pushes) / seconds }
    var cpuSecondsPer100k: Double { cpuSeconds * 100_000 / Double(pushes) }
}

/// The CPU time of processes, user's and kernel's.
enum CPUTime {
    /// Of this process, in seconds.
    static var ownSeconds: Double { seconds(of: 0) }

    /// Of those of its children that have ended and been waited for, in seconds.
    static var endedChildrenSeconds: Double { seconds(of: -1) }

    /// The numbers are RUSAGE_SELF and RUSAGE_CHILDREN, which Swift imports as another type on Linux.
    private static func seconds(of whom: CInt) -> Double {
        var usage = rusage()
        let status = getrusage(whom, &usage)
        precondition(status == 0, "getrusage(2) fails only for arguments that do not exist")
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1_000_000 }
    }
}
