import CommandLineSupport

/// Why something could not be measured.
struct MeasurementFailure: CommandFailure, Hashable {
    let explanation: String
    let exitStatus = ExitStatus.failed

    init(_ explanation: String) {
        self.explanation = explanation
    }
}
