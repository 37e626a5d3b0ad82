import ArgumentParser

@main
struct APNsSimulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apns-simulator",
        abstract: "Stands in for APNs and for the phones behind it, and shows them on a page.",
        discussion: """
            Give the same key to your sender and to the simulator, let the sender trust the certificate authority \
            that the simulator writes to --ca-file, and open the page. Phones are added over its API: \
            POST /api/phones, then POST /api/phones/ID/activities, which answers with a push token.
            """,
        subcommands: [ServeCommand.self, MakeKeyCommand.self, MakeTokenCommand.self]
    )
}
