import ArgumentParser
import Foundation

/// One run of our client in a process of its own, so that it can be pinned and its CPU time told.
struct PushClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "push-client", shouldDisplay: false)

    @Option var server: PushAddress
    @Option var caFile: String?
    @Option var style: PushStyle
    @Option var pushes: Int
    @Option var connections: Int
    @Option var streams: Int

    func run() async throws {
        let run = PushClientRun(
            peer: PushPeer(host: server.host, port: server.port, caFile: caFile),
            style: style,
            pushes: pushes,
            connections: connections,
            streams: streams
        )
        print(String(decoding: try JSONEncoder().encode(await run.measure()), as: UTF8.self))
    }
}

extension PushStyle: ExpressibleByArgument {}
