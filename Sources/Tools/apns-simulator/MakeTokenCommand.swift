import APNsSimulator
import ArgumentParser
import Cryptography
import ServiceRuntime

struct MakeTokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make-token",
        abstract: "Prints a provider token for pushes by hand with curl; it is valid for an hour."
    )

    @Option(help: ArgumentHelp("The provider key (.p8) to sign with.", valueName: "file"))
    var keyFile: String

    @Option(help: ArgumentHelp("The key's identifier.", valueName: "id"))
    var keyID: String

    @Option(help: ArgumentHelp("The team's identifier.", valueName: "id"))
    var teamID: String

    func validate() throws {
        try AppleIdentifier.check(keyID, for: "--key-id")
        try AppleIdentifier.check(teamID, for: "--team-id")
    }

    func run() throws {
        let key = try PrivateFile.providerKey(at: keyFile, for: "--key-file")
        print(try key.providerToken(keyID: keyID, teamID: teamID, at: Runtime.system.now()))
    }
}
