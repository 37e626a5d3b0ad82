import COpenSSL

/// Text in OpenSSL's memory, to read PEM from or to write it to.
@safe
struct PEMBuffer: ~Copyable {
    private let pointer: OpaquePointer

    /// An empty buffer to write to.
    init() {
        guard let pointer = unsafe BIO_new(BIO_s_mem()) else { fatalError("no memory for a BIO") }
        unsafe self.pointer = pointer
    }

    /// A buffer that holds a copy of the text.
    init(_ text: String) {
        self.init()
        var text = text
        text.withUTF8 { bytes in
            let written = unsafe BIO_write(pointer, bytes.baseAddress, CInt(bytes.count))
            precondition(Int(written) == bytes.count, "a memory BIO takes everything")
        }
    }

    deinit {
        unsafe BIO_free_all(pointer)
    }

    /// Calls the body with the BIO, which is not to leave it.
    func withBIO<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        unsafe body(pointer)
    }

    /// What has been written and not yet read.
    var text: String {
        var start: UnsafeMutablePointer<CChar>?
        let count = unsafe rangers_BIO_get_mem_data(pointer, &start)
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}
