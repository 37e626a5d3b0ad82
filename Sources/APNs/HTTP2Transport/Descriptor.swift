import Glibc

/// A file descriptor, which is closed with the last reference.
final class Descriptor: Sendable {
    let rawValue: CInt

    /// Takes ownership of a descriptor.
    init(owning rawValue: CInt) {
        precondition(rawValue >= 0, "not a descriptor")
        self.rawValue = rawValue
    }

    deinit {
        // On Linux close(2) frees the descriptor even when it returns an error.
        _ = close(rawValue)
    }
}

/// Returns the C library's text for an error number.
func systemErrorText(_ code: CInt) -> String {
    // For known codes the text is a constant of the C library.
    guard let text = unsafe strerror(code) else { return "system error \(code)" }
    return unsafe String(cString: text)
}
