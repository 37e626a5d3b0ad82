public import APNsClient
public import ArgumentParser
import CommandLineSupport
import Foundation
public import PushRules

extension SamplePush.Event: ExpressibleByArgument {}
extension APNsEnvironment: ExpressibleByArgument {}

/// The options of a push to a token.
struct PushOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with the push token in hexadecimal; by default it is read from standard input.",
            valueName: "file"
        )
    )
    var pushTokenFile: String?

    @Option(
        help: ArgumentHelp(
            "The event of the push; start requires a push-to-start token.",
            valueName: "update|end|start"
        )
    )
    var event = SamplePush.Event.update

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The value of apns-priority; the default is 10.", valueName: "5|10")
    )
    var priority: Int?

    func validate() throws {
        guard [5, 10, nil].contains(priority) else { throw ValidationError("--priority must be 5 or 10.") }
    }

    /// Rejects options that do not apply to a running activity.
    func validateForActivity() throws {
        guard event != .start else {
            throw ValidationError(
                "--event start creates a new activity: it requires a push-to-start token and excludes --activity."
            )
        }
    }

    /// Whether the push has priority 10.
    var isHighPriority: Bool { priority != 5 }

    /// Reads the token.
    ///
    /// It is a secret, and therefore never an argument, which every user of the machine could read.
    func deviceToken() throws(OperatorClientError) -> DeviceToken {
        let text: String
        if let pushTokenFile {
            do {
                text = try String(contentsOf: URL(filePath: pushTokenFile), encoding: .utf8)
            } catch {
                throw .wrongUsage(
                    "cannot read the push token file \(pushTokenFile); does it exist, and is it readable?"
                )
            }
        } else {
            guard isatty(STDIN_FILENO) == 0 else {
                throw .wrongUsage("no push token: use --push-token-file, or pass the token on standard input")
            }
            text = String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
        }
        guard let token = DeviceToken(hex: text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw .wrongUsage("the push token is empty or not in hexadecimal")
        }
        return token
    }
}
