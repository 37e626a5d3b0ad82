import ArgumentParser
import CommandLineSupport

@main
struct APNsSimulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apns-simulator",
        abstract: "Simulates APNs and the phones behind it, and shows the phones on a page.",
        discussion: """
            Give the same key to your sender and to the simulator, let the sender trust the certificate authority \
            that the simulator writes to --ca-file, and open the page. Phones are added over its API: \
            POST /api/phones, then POST /api/phones/ID/activities, which answers with a push token.
            """,
        version: RangersVersion.current,
        subcommands: [ServeSimulatorCommand.self, MakeKeyCommand.self, MakeTokenCommand.self]
    )
}
