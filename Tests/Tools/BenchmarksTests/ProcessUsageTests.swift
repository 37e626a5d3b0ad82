import Foundation
import Testing

@testable import Benchmarks

@Suite struct ProcessUsageTests {
    @Test func `the CPU time of a family includes its members`() throws {
        let own = ProcessInfo.processInfo.processIdentifier
        // Read first, since other tests go on using CPU time.
        let used = ProcessUsage.cpuSeconds(of: own)
        #expect(used > 0 && ProcessUsage.ownCPUSeconds > 0)
        #expect(ProcessUsage.cpuSeconds(ofFamilyOf: getppid()) >= used)
        #expect(ProcessUsage.cpuSeconds(of: .max) == 0)
    }

    @Test func `memory and descriptors of a process are read from proc`() throws {
        #expect(ProcessUsage.residentKibibytes("Name:\tx\nVmPeak:\t  9 kB\nVmRSS:\t  2048 kB\n") == 2_048)
        #expect(ProcessUsage.residentKibibytes("Name:\tx\n") == nil)
        let own = try #require(ProcessUsage.memory(of: ProcessInfo.processInfo.processIdentifier))
        #expect(own.mebibytes > 1 && own.descriptors > 2)
        #expect(ProcessUsage.memory(of: .max) == nil)
    }
}
