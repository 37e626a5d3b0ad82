import CommandLineSupport

/// The reason why the demo failed.
struct DemoFailure: CommandFailure {
    let explanation: String
    let exitStatus = ExitStatus.failed
}
