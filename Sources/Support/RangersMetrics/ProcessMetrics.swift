import Foundation

/// Linux's statistics of the process as metrics, with the names of Prometheus' client libraries.
///
/// Each scrape reads a few small files in /proc, in well under a millisecond unless very many files are open.
public struct ProcessMetrics: Sendable {
    private let cpu: Counters<NoLabels>
    private let residentMemory: Gauges<NoLabels>
    private let virtualMemory: Gauges<NoLabels>
    private let openFiles: Gauges<NoLabels>
    private let maxFiles: Gauges<NoLabels>
    private let startTime: Gauges<NoLabels>
    private let threads: Gauges<NoLabels>

    /// Declares the metrics, which are updated before each scrape.
    @discardableResult
    public init(in registry: MetricRegistry) {
        cpu = registry.counters("process_cpu_seconds_total", "User and system CPU time of the process.")
        residentMemory = registry.gauges(
            "process_resident_memory_bytes",
            "Resident memory of the process."
        )
        virtualMemory = registry.gauges("process_virtual_memory_bytes", "Virtual memory of the process.")
        openFiles = registry.gauges("process_open_fds", "Open file descriptors.")
        maxFiles = registry.gauges("process_max_fds", "The limit of open file descriptors.")
        startTime = registry.gauges(
            "process_start_time_seconds",
            "The start time of the process, in seconds since 1970."
        )
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
        // One of the descriptors is that of the directory itself.
        openFiles.set((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count.asDouble(less: 1))
        var limit = rlimit()
        let isRead = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        maxFiles.set(isRead ? Double(limit.rlim_cur) : nil)
    }

    /// The boot time of the machine, in seconds since 1970.
    private var bootTime: Double? {
        text(of: "/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }
            .flatMap { Double($0.dropFirst("btime ".count)) }
    }

    /// Returns the content of a file; empty if it cannot be read.
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
    /// The start time, in clock ticks after boot.
    let startTicks: Int
    let virtualBytes: Int
    let residentPages: Int

    /// Parses a line, or returns nil if it is malformed.
    package init?(_ line: String) {
        // The name, in parentheses, may contain spaces and parentheses; field 3 follows it.
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
