import Foundation
import Testing

@testable import Benchmarks

@Suite struct ProcessorTimeTests {
    @Test func `a process has its parent and its times, whatever it is called`() throws {
        let line = "4711 (postgres: a) 1 (b) S 42 4711 4711 0 -1 4194560 100 200 0 0 150 50 700 300 20 0 1 0 12345 1 2"
        let stat = try #require(ProcessStat(line))
        #expect(stat.parent == 42)
        #expect(stat.seconds == 2 && stat.secondsOfEndedChildren == 10)
        #expect(ProcessStat("4711 (cut short) S 42") == nil)
        #expect(ProcessStat("") == nil)
    }

    @Test func `this process belongs to its parent's family`() throws {
        let own = ProcessInfo.processInfo.processIdentifier
        let stat = try #require(ProcessStat(String(contentsOfFile: "/proc/\(own)/stat", encoding: .utf8)))
        #expect(stat.parent == getppid())
        #expect(ProcessorTime.seconds(ofFamilyOf: getppid()) >= stat.seconds)
    }
}
