import COpenSSL

/// A memory BIO for reading and writing PEM.
@safe
package struct PEMBuffer: ~Copyable {
    private let pointer: OpaquePointer

    /// Creates an empty buffer.
    package init() {
        guard let pointer = unsafe BIO_new(BIO_s_mem()) else { fatalError("no memory for a BIO") }
        unsafe self.pointer = pointer
    }

    /// Creates a buffer with a copy of a text.
    package init(_ text: String) {
        self.init()
        var text = text
        text.withUTF8 { bytes in
            let written = unsafe BIO_write(pointer, bytes.baseAddress, CInt(bytes.count))
            precondition(Int(written) == bytes.count, "a memory BIO takes every byte")
        }
    }

    deinit {
        unsafe BIO_free_all(pointer)
    }

    /// Calls a closure with the `BIO *`, which must not escape it.
    package func withBIO<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        unsafe body(pointer)
    }

    /// The text that was written and not yet read.
    package var text: String {
        var start: UnsafeMutablePointer<CChar>?
        let count = unsafe rangers_BIO_get_mem_data(pointer, &start)
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}
