import CommandLineSupport
import OperatorCommands

/// The executable of `rangersctl`; the commands are in `OperatorCommands`, where they can be tested.
@main
enum Rangersctl {
    static func main() async {
        await RangersctlCommand.runAndExit()
    }
}
