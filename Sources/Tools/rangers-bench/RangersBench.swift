import Benchmarks
import CommandLineSupport

/// The executable: everything it does is in `Measurements`, where tests reach it.
@main
enum RangersBench {
    static func main() async {
        await RangersBenchCommand.runAndExit()
    }
}
