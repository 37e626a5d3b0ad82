import CommandLineSupport

/// Why the demo did not end well.
struct DemoFailure: CommandFailure {
    let explanation: String
    let exitStatus = ExitStatus.failed
}
