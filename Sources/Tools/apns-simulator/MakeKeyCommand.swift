import ArgumentParser
import Cryptography

struct MakeKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make-key",
        abstract: "Creates a provider key (.p8) in the format of Apple's keys."
    )

    @Option(help: ArgumentHelp("The file to create; an existing file is not overwritten.", valueName: "file"))
    var out: String

    func run() throws {
        try PrivateFile.create(at: out, text: P256PrivateKey.generate().pem)
        print("Wrote a new provider key to \(out). Apple does not know it; it works with the simulator only.")
    }
}
