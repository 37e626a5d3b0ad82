import Logging
import Synchronization

/// Metadata that inner handlers add to their request's line in the access log.
///
/// The request context is a value that each middleware may copy; all copies share this object.
package final class AccessLogMetadata: Sendable {
    private let values = Mutex<[String: String]>([:])

    /// The value of a key; it must not be secret.
    package subscript(key: String) -> String? {
        get { values.withLock { $0[key] } }
        set { values.withLock { $0[key] = newValue } }
    }

    func add(to metadata: inout Logger.Metadata) {
        for (key, value) in values.withLock(\.self) { metadata[key] = "\(value)" }
    }
}
