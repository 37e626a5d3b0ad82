import Benchmarks
import CommandLineSupport

/// The `rangers-bench` executable; its code is in `Benchmarks`, which tests can import.
@main
enum RangersBench {
    static func main() async {
        await RangersBenchCommand.runAndExit()
    }
}
