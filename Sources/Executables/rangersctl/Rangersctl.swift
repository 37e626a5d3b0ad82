import CommandLineSupport
import OperatorCommands

/// The executable: everything it does is in `OperatorCommands`, where tests reach it.
@main
enum Rangersctl {
    static func main() async {
        await RangersctlCommand.runAndExit()
    }
}
