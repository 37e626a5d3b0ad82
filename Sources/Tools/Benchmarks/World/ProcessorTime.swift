import Foundation

/// CPU time of processes, kernel included, as `/proc` tells it: in hundredths of a second.
enum ProcessorTime {
    /// What a process has used so far, its threads included; zero when it is gone.
    static func seconds(of process: Int32) -> Double {
        guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return 0 }
        return ProcessStat(stat)?.seconds ?? 0
    }

    /// What a process and its children have used so far, those that have ended included.
    ///
    /// Children of children are not: a server of PostgreSQL has none.
    static func seconds(ofFamilyOf parent: Int32) -> Double {
        // It is there wherever this is measured: on Linux.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(Int32.init).reduce(0) { sum, process in
            // One that is gone by now has used nothing more.
            guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                let stat = ProcessStat(text)
            else { return sum }
            if process == parent { return sum + stat.seconds + stat.secondsOfEndedChildren }
            return stat.parent == parent ? sum + stat.seconds : sum
        }
    }
}

/// What `/proc/PID/stat` says of a process, see proc_pid_stat(5).
struct ProcessStat: Hashable {
    /// In this unit the kernel tells times to programs, on every architecture that Linux and Swift run on.
    private static let ticksPerSecond = 100.0

    let parent: Int32
    let seconds: Double
    let secondsOfEndedChildren: Double

    /// Nil when the text is none of a process.
    init?(_ text: String) {
        // The name, in parentheses, may hold anything; what follows it does not.
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        // State, parent, …; user and system time are fields 14 and 15 of the manual, those of children 16 and 17.
        guard fields.count > 14, let parent = Int32(fields[1]) else { return nil }
        let times = fields[11...14].compactMap { Double($0) }
        guard times.count == 4 else { return nil }
        self.parent = parent
        seconds = (times[0] + times[1]) / Self.ticksPerSecond
        secondsOfEndedChildren = (times[2] + times[3]) / Self.ticksPerSecond
    }
}
