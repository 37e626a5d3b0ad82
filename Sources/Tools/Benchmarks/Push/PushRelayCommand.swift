import ArgumentParser

/// A delay before a server, in a process of its own, until its input ends.
struct PushRelayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "push-relay", shouldDisplay: false)

    @Option var server: PushAddress
    /// In each direction.
    @Option var milliseconds: Int

    func run() throws {
        let relay = try DelayRelay(to: server, delay: .milliseconds(milliseconds))
        relay.start()
        ReadyLine.print(port: relay.port)
        ReadyLine.awaitEndOfInput()
    }
}
