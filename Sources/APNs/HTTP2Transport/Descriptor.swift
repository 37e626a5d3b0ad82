import Glibc

/// Owns one file descriptor and closes it with the last reference.
final class Descriptor: Sendable {
    let rawValue: CInt

    /// Takes over a descriptor that nobody else closes.
    init(owning rawValue: CInt) {
        precondition(rawValue >= 0, "not a descriptor")
        self.rawValue = rawValue
    }

    deinit {
        // An error of close(2) leaves nothing to do: on Linux the descriptor is gone in any case.
        _ = close(rawValue)
    }
}

/// What `errno` says, as a sentence for people.
func systemErrorText(_ code: CInt) -> String {
    // The text is a constant of the C library for every code that the system knows.
    guard let text = unsafe strerror(code) else { return "system error \(code)" }
    return unsafe String(cString: text)
}
