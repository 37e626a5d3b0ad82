import APNsSimulator
import ArgumentParser

struct MakeTokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make-token",
        abstract: "Prints a provider token, to push by hand with curl; it is good for an hour."
    )

    @Option(help: ArgumentHelp("The provider key (.p8) to sign with.", valueName: "file"))
    var keyFile: String

    @Option(help: ArgumentHelp("The key's identifier.", valueName: "id"))
    var keyID: String

    @Option(help: ArgumentHelp("The team's identifier.", valueName: "id"))
    var teamID: String

    func validate() throws {
        try AppleName.check(keyID, for: "--key-id")
        try AppleName.check(teamID, for: "--team-id")
    }

    func run() throws {
        let key = try PrivateFile.providerKey(at: keyFile, for: "--key-file")
        print(try key.token(keyID: keyID, teamID: teamID, at: .now()))
    }
}
