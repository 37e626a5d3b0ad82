import Synchronization

/// Who was found to send a request, for the log's line about it.
///
/// The context of a request is a value, and the gate is further in than what writes the line: so they share this.
final class CallerNote: Sendable {
    private let operatorName = Mutex<String?>(nil)

    /// The operator's name, once the token is known to be one's; never the token.
    var `operator`: String? {
        get { operatorName.withLock(\.self) }
        set { operatorName.withLock { $0 = newValue } }
    }
}
