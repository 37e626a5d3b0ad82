import Foundation
import HTTP2Transport

/// `h2load` of the nghttp2 project: the yardstick.
struct H2Load {
    private static let program = "h2load"

    let peer: PushPeer
    let streams: Int
    private let folder: URL

    /// Writes the paths and the body where h2load reads them: into a folder that exists and outlives this.
    init(peer: PushPeer, streams: Int, folder: URL) throws {
        self.peer = peer
        self.streams = streams
        self.folder = folder
        let urls = PushLoad.paths.map { peer.url + $0 }.joined(separator: "\n")
        try urls.write(to: folder.appending(path: "urls"), atomically: true, encoding: .utf8)
        try Data(PushLoad.body).write(to: folder.appending(path: "body"))
    }

    /// Says how to get the program when it is not there.
    static func require() throws {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard folders.contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }) else {
            throw MeasurementFailure(
                "\(program) is not installed; on Debian it comes with: sudo apt-get install --yes nghttp2-client"
            )
        }
    }

    /// One run, less the CPU time of starting, which a run of one push has too.
    func measure(pushes: Int, core: Int) throws -> PushMeasurement {
        let start = try run(pushes: 1, core: core)
        let whole = try run(pushes: pushes, core: core)
        return PushMeasurement(
            pushes: pushes,
            seconds: whole.seconds,
            cpuSeconds: max(whole.cpuSeconds - start.cpuSeconds, 0)
        )
    }

    private func run(pushes: Int, core: Int) throws -> (seconds: Double, cpuSeconds: Double) {
        let cpu = CPUTime.endedChildrenSeconds
        let process = try HelperProcess(core: core, program: Self.program, arguments: arguments(pushes: pushes))
        let text = String(decoding: try process.finish(), as: UTF8.self)
        guard let seconds = Self.seconds(from: text, pushes: pushes) else {
            throw MeasurementFailure("\(Self.program) did not get an answer of 200 to each push:\n\(text)")
        }
        return (seconds, CPUTime.endedChildrenSeconds - cpu)
    }

    private func arguments(pushes: Int) -> [String] {
        let headers = (PushLoad.sharedHeaders + PushLoad.ownHeaders).flatMap {
            ["--header", "\($0.name): \($0.value)"]
        }
        return [
            "--requests", String(pushes), "--clients", "1", "--threads", "1",
            "--max-concurrent-streams", String(streams),
            "--input-file", folder.appending(path: "urls").path,
            "--data", folder.appending(path: "body").path,
        ] + headers
    }

    /// The time that h2load reports, if every push was answered with 200.
    ///
    /// Its report has lines such as `finished in 1.31s, 228912.55 req/s, 12.66MB/s` (or `ms`, or `us`) and
    /// `status codes: 300000 2xx, 0 3xx, 0 4xx, 0 5xx`.
    static func seconds(from report: String, pushes: Int) -> Double? {
        guard report.contains("status codes: \(pushes) 2xx,"),
            let match = report.firstMatch(of: /finished in ([0-9.]+)(us|ms|s),/), let number = Double(match.1)
        else { return nil }
        switch match.2 {
        case "us": return number / 1_000_000
        case "ms": return number / 1_000
        case "s": return number
        default: return nil
        }
    }
}
