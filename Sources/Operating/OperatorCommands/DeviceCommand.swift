import ArgumentParser

/// `rangersctl device`: the devices of players.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Shows the devices of players.",
        subcommands: [List.self]
    )

    /// `rangersctl device list`: lists the devices of a player.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the devices of a player, and which pushes they get without a Live Activity.",
            discussion: """
                An ordinary alert is sent while no Live Activity on the device shows the adventure, if the server has a \
                token for alerts, the alert is not muted, and the budget of the hour is not spent. Dispatchers log each \
                alert (`sent an alert to a device without a Live Activity`), and the reason for none (`no alert was \
                sent`), with the device's identifier.

                Example:
                  rangersctl device list 01981f6e-0000-7000-8000-0000000000ab
                """
        )

        @Argument(help: ArgumentHelp("The player's identifier, as in `party show`.", valueName: "player"))
        var player: UUIDArgument

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            try options.show(
                try await client.get("players", player.text, "devices"),
                as: DeviceList.self,
                from: client
            )
        }
    }
}
