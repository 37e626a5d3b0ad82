import Testing

@testable import APNsSimulator

@Suite struct OpenFilesTests {
    @Test(arguments: [(1024, 384), (100, 1), (1_048_576, 50_000)])
    func `both doors share the files that may be open, and leave some to the rest`(files: Int, connections: Int) {
        #expect(OpenFiles.connectionsPerDoor(of: files) == connections)
    }
}
