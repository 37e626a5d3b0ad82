public import APNsClient
public import ArgumentParser
import CommandLineSupport
import Foundation
public import PushRules

extension SamplePush.Event: ExpressibleByArgument {}
extension APNsEnvironment: ExpressibleByArgument {}

/// What the push is, and whom it is for.
struct PushOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file that holds the push token in hexadecimal; otherwise it is read from standard input.",
            valueName: "file"
        )
    )
    var pushTokenFile: String?

    @Option(help: ArgumentHelp("What it does; start takes a push-to-start token.", valueName: "update|end|start"))
    var event = SamplePush.Event.update

    @Option(help: ArgumentHelp("apns-priority, 10 unless it is given.", valueName: "5|10"))
    var priority: Int?

    func validate() throws {
        guard [5, 10, nil].contains(priority) else { throw ValidationError("--priority is 5 or 10.") }
    }

    /// An activity is a card that is there.
    func validateForActivity() throws {
        guard event != .start else {
            throw ValidationError("A start makes another card: it takes a push-to-start token, and no --activity.")
        }
    }

    /// Whether the push goes at priority 10.
    var isUrgent: Bool { priority != 5 }

    /// The token; it is a secret, so it comes by no argument, where every user of the machine could read it.
    func deviceToken() throws(OperatorClientError) -> DeviceToken {
        let text: String
        if let pushTokenFile {
            do {
                text = try String(contentsOf: URL(filePath: pushTokenFile), encoding: .utf8)
            } catch {
                throw .wrongUsage("the push token's file \(pushTokenFile) cannot be read; is it there, and yours?")
            }
        } else {
            guard isatty(STDIN_FILENO) == 0 else {
                throw .wrongUsage("a push token is missing: give --push-token-file, or the token on standard input")
            }
            text = String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
        }
        guard let token = DeviceToken(hex: text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw .wrongUsage("the push token is empty or not in hexadecimal, as apps send it")
        }
        return token
    }
}
