import ArgumentParser
import Cryptography

struct MakeKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make-key",
        abstract: "Writes a fresh provider key (.p8), as developers get one from Apple."
    )

    @Option(help: ArgumentHelp("Where to write it; an existing file is never overwritten.", valueName: "file"))
    var out: String

    func run() throws {
        try PrivateFile.create(at: out, text: P256PrivateKey.generate().pem)
        print("Wrote a new provider key to \(out). Apple does not know it: it is good for the simulator only.")
    }
}
