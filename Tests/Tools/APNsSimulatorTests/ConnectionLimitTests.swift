import Testing

@testable import APNsSimulator

@Suite struct ConnectionLimitTests {
    @Test(arguments: [(1024, 384), (100, 1), (1_048_576, 50_000)])
    func `both endpoints share the limit of open files and leave a reserve`(files: Int, connections: Int) {
        #expect(ConnectionLimit.perEndpoint(withFiles: files) == connections)
    }
}
