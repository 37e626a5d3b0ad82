import Foundation

/// What Linux tells of the process, by the names that Prometheus' own clients give it.
///
/// Read anew for each scrape: a few small files below /proc, well under a millisecond unless very many files are open.
public struct ProcessMetrics: Sendable {
    private let cpu: Counters<NoLabels>
    private let residentMemory: Gauges<NoLabels>
    private let virtualMemory: Gauges<NoLabels>
    private let openFiles: Gauges<NoLabels>
    private let mostFiles: Gauges<NoLabels>
    private let startTime: Gauges<NoLabels>
    private let threads: Gauges<NoLabels>

    /// Declares the metrics, which then read themselves.
    @discardableResult
    public init(in registry: MetricRegistry) {
        cpu = registry.counters("process_cpu_seconds_total", "CPU time that the process has spent, user and system.")
        residentMemory = registry.gauges(
            "process_resident_memory_bytes",
            "Memory of the process that is in RAM."
        )
        virtualMemory = registry.gauges("process_virtual_memory_bytes", "Address space of the process.")
        openFiles = registry.gauges("process_open_fds", "Files and sockets that the process has open.")
        mostFiles = registry.gauges("process_max_fds", "How many files and sockets it may have open.")
        startTime = registry.gauges("process_start_time_seconds", "When the process started, in seconds since 1970.")
        threads = registry.gauges("process_threads", "Threads of the process.")
        registry.beforeReading { [self] in read() }
    }

    private func read() {
        let stat = ProcessStat(text(of: "/proc/self/stat"))
        if let stat {
            let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
            cpu.set(Double(stat.cpuTicks) / ticks)
            startTime.set(bootTime.map { $0 + Double(stat.startTicks) / ticks })
        }
        residentMemory.set(stat.map { Double($0.residentPages * sysconf(Int32(_SC_PAGESIZE))) })
        virtualMemory.set(stat.map { Double($0.virtualBytes) })
        threads.set(stat.map { Double($0.threads) })
        // The folder itself is open while it is read.
        openFiles.set((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count.asDouble(less: 1))
        var limit = rlimit()
        let isRead = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        mostFiles.set(isRead ? Double(limit.rlim_cur) : nil)
    }

    /// When the machine started, in seconds since 1970.
    private var bootTime: Double? {
        text(of: "/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }
            .flatMap { Double($0.dropFirst("btime ".count)) }
    }

    /// What a file of the kernel says; empty where there is none.
    private func text(of path: String) -> String {
        guard let data = FileManager.default.contents(atPath: path) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}

extension Int {
    fileprivate func asDouble(less: Int) -> Double { Double(self - less) }
}

/// One line of `/proc/PID/stat` (proc(5)).
package struct ProcessStat: Equatable {
    /// The parent's process identifier.
    package let parent: Int32
    /// User and system time, in clock ticks.
    package let cpuTicks: Int
    /// User and system time of the children that have exited and been waited for, in clock ticks.
    package let childCPUTicks: Int
    let threads: Int
    /// Clock ticks after the machine's start.
    let startTicks: Int
    let virtualBytes: Int
    let residentPages: Int

    /// Parses a line; nil for malformed text.
    package init?(_ line: String) {
        // The name, in brackets, may hold anything, spaces and brackets too: what is behind it begins with field 3.
        guard let end = line.lastIndex(of: ")") else { return nil }
        let fields = line[line.index(after: end)...].split(whereSeparator: \.isWhitespace)
        func number(_ field: Int) -> Int? { field - 3 < fields.count ? Int(fields[field - 3]) : nil }
        guard
            let parent = number(4), let user = number(14), let system = number(15), let childUser = number(16),
            let childSystem = number(17), let threads = number(20), let start = number(22),
            let virtual = number(23), let resident = number(24)
        else { return nil }
        self.parent = Int32(truncatingIfNeeded: parent)
        cpuTicks = user + system
        childCPUTicks = childUser + childSystem
        self.threads = threads
        startTicks = start
        virtualBytes = virtual
        residentPages = resident
    }
}
